"""Behind PgBouncer in transaction mode (I13): work goes on, a deploy refuses."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from support import trees

from officectl.database import deploy
from officectl.database.connect import connect
from officectl.database.unprivileged import runner_for
from officectl.errors import Refused

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@pytest.fixture
def pooled(fresh_database: str) -> Iterator[str]:
    """DSN of `fresh_database` through a PgBouncer of this test's own."""
    if PROGRAM is None:
        pytest.skip("pgbouncer is not installed")
    server = conninfo_to_dict(fresh_database)
    folder = Path(f"{server['host']}-pooler")
    folder.mkdir()
    runner = runner_for(Path(str(server["host"])))
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = host={server['host']} port={server['port']} user={server['user']}\n"
        f"[pgbouncer]\nlisten_addr =\nunix_socket_dir = {folder}\nlisten_port = 6432\n"
        f"auth_type = any\npool_mode = transaction\nlogfile = {folder}/log\n"
    )
    identity = {}
    if runner.switch:
        shutil.chown(folder, runner.uid, runner.gid)
        identity = {"user": runner.uid, "group": runner.gid}
    process = subprocess.Popen([PROGRAM, "-q", folder / "pgbouncer.ini"], **identity)
    dsn = make_conninfo(fresh_database, host=str(folder), port=6432)
    try:
        deadline = time.monotonic() + 10
        while not (folder / ".s.PGSQL.6432").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        yield dsn
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def test_deploy_refuses_a_pooled_connection(
    pooled: str, fresh_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I13: migrate notices that it is pooled and refuses; the second, direct DSN is used when given."""
    tree = trees.write(tmp_path)
    with pytest.raises(Refused, match="goes through a pooler") as refusal:
        deploy.migrate(pooled, root=tree)
    assert "OFFICE_DIRECT_DSN" in (refusal.value.hint or "")
    monkeypatch.setenv("OFFICE_DIRECT_DSN", fresh_database)
    deploy.migrate(pooled, root=tree)
    assert deploy.status(pooled, root=tree).state == "current"


def test_work_goes_on_behind_a_pooler(pooled: str, fresh_database: str, tmp_path: Path) -> None:
    """I13: nothing is kept in the session, so each transaction may have another server connection."""
    deploy.migrate(fresh_database, root=trees.write(tmp_path))
    first, second = connect(pooled, autocommit=True), connect(pooled, autocommit=True)
    with first, second:
        with first.transaction():
            first.execute("select * from office.a_summary")
            for _ in range(10):
                second.execute("select count(*) from office.notes where id = %s", [1])
        row = first.execute("select notes from office.a_summary where notes >= %s", [0]).fetchone()
    assert row == (1,)
