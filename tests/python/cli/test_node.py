"""I1, A1: the quickstart from Node, by the npm package pg, with nothing of officectl in between."""

import json
import subprocess
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

QUICKSTART = """
const { Client } = require('pg');

async function main() {
  const client = new Client(JSON.parse(process.env.PLACE));
  await client.connect();
  const rows = async (text, values) => (await client.query(text, values)).rows;
  const executor = { command: ['/bin/true'] };
  const answers = {
    agent: await rows('select * from office.create_agent($1, executor => $2)', ['triage', executor]),
    task: await rows('select * from office.create_task($1, assignee => $2)', ['Look at order 7', 'triage']),
    woken: await rows('select * from office.wake($1, payload => $2)', ['triage', { context: 'by hand' }]),
    dispatched: await rows('select * from office.dispatch()'),
    next: await rows('select * from office.up_next'),
    result: await rows('select * from office.result($1)', ['t1']),
  };
  try {
    await rows('select * from office.wake($1)', ['triag']);
  } catch (error) {
    answers.refusal = { state: error.code, hint: error.hint, code: JSON.parse(error.detail).code };
  }
  await client.end();
  console.log(JSON.stringify(answers));
}

main();
"""


def test_i1_the_quickstart_from_node(node_folder: Path, database: str) -> None:
    place = conninfo_to_dict(database)
    connection = {name: place[key] for name, key in _PG_NAMES.items() if key in place}
    (node_folder / "quickstart.js").write_text(QUICKSTART)
    done = subprocess.run(
        ["node", "quickstart.js"],
        cwd=node_folder,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "PLACE": json.dumps(connection)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert answers["agent"][0]["agent"] == "triage"
    assert (answers["task"][0]["task"], answers["task"][0]["state"]) == ("t1", "todo")
    assert answers["woken"][0]["duplicate"] is False
    assert sorted(row["task"] or "" for row in answers["next"]) == ["", "t1"]
    assert (answers["result"][0]["status"], answers["result"][0]["ended_at"]) == ("queued", None)
    assert answers["refusal"] == {"state": "PT404", "hint": 'Did you mean "triage"?', "code": "not_found"}
    with psycopg.connect(database) as seen:
        assert seen.execute("select count(*) from office.runs").fetchone() == (2,)


_PG_NAMES = {"host": "host", "port": "port", "user": "user", "password": "password", "database": "dbname"}
