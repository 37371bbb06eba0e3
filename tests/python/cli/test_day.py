"""I8, I9: a day at the office, with a worker at work: wake, wait, logs, why, stop, retry, inbox."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from officectl.database.embedded import Cluster

from .conftest import OFFICECTL, Officectl, without_database

pytestmark = pytest.mark.slow

PATIENCE = ("--timeout", "30")


@pytest.fixture
def at_work(staffed: Officectl, database: str, tmp_path: Path) -> Iterator[Officectl]:
    """officectl on an office whose scheduler and worker run; `sleeper` prints a line and sleeps."""
    log = tmp_path / "up.log"
    with (
        log.open("w") as output,
        subprocess.Popen([*OFFICECTL, "up", "--dsn", database], stdout=output, stderr=output) as office,
    ):
        try:
            for name, script in (("sleeper", "echo begun; sleep 60"), ("lost", "")):
                program = ["/bin/sh", "-c", script] if script else ["/no/such/program"]
                words = ("agent", "create", name, "--cooldown-sec", "0", "--", *program)
                assert staffed(*words).code == 0
            assert staffed("agent", "edit", "triage", "--cooldown-sec", "0").code == 0
            until(lambda: '"workers": 1' in staffed("status", "--json", "workers").out)
            yield staffed
        finally:
            office.send_signal(signal.SIGTERM)
            assert office.wait(30) == 0, log.read_text()


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    """Looks again and again until it holds."""
    last_look = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < last_look, "it never held"
        time.sleep(0.1)


def test_i8_wake_wait_and_look(at_work: Officectl) -> None:
    woken = at_work("wake", "triage", "--payload", '{"context": "please"}', "-o", "json").items[0]
    waited = at_work("wait", woken["wakeup_id"], *PATIENCE, "-o", "json")
    assert waited.code == 0, waited.err
    assert (waited.items[0]["result"], waited.items[0]["summary"]) == ("succeeded", "looked")
    run = waited.items[0]["run"]
    assert at_work("logs", run).out == "looked\n"
    assert at_work("logs", run, "-f").out == "looked\n"
    assert at_work("logs", run, "--json", "content").items == [{"content": "looked"}]
    shown = at_work("run", "show", run, "-o", "json").items[0]
    assert (shown["agent"], shown["result"], shown["attempts"][0]["exit_code"]) == ("triage", "succeeded", 0)
    assert "please" in at_work("run", "show", run, "--prompt").out
    assert [row["run"] for row in at_work("run", "list", "--agent", "triage", "-o", "json").items] == [run]
    assert at_work("status", "--json", "workers,runs_live").items == [{"workers": 1, "runs_live": 0}]


def test_i8_logs_follow_a_run_to_its_end(at_work: Officectl) -> None:
    at_work("agent", "create", "talker", "--", "/bin/sh", "-c", "echo one; sleep 1; echo two")
    woken = at_work("wake", "talker", "--json", "wakeup_id").items[0]
    until(lambda: at_work("logs", woken["wakeup_id"]).code == 0)
    assert at_work("logs", woken["wakeup_id"], "-f").out == "one\ntwo\n"


def test_i1_the_quickstart_of_the_readme_works_when_typed(at_work: Officectl, database: str) -> None:
    at_work("agent", "edit", "triage", "--name", "other")
    readme = (Path(__file__).parents[3] / "README.md").read_text()
    quickstart = readme.split("```sql\n")[1].split("```")[0]
    typed = subprocess.run(
        [*OFFICECTL, "psql", "--dsn", database, "-v", "ON_ERROR_STOP=1"],
        input=quickstart,
        env=without_database(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert typed.returncode == 0, typed.stderr
    assert at_work("wait", "t1", *PATIENCE).code == 0


def test_i9_why_tells_the_story_in_order(at_work: Officectl) -> None:
    at_work("task", "create", "Look at order 7", "-a", "triage")
    assert at_work("wait", "t1", *PATIENCE).code == 0
    story = at_work("why", "t1", "-o", "json").items
    assert len(story) >= 3
    assert [row["at"] for row in story] == sorted(row["at"] for row in story)
    told = at_work("why", "t1").out
    assert [event in told for event in ("woken", "claimed", "started", "looked")] == [True] * 4
    assert at_work("why", "r1").out == told
    # In a pipe an event is a line, and all lines have the same columns.
    lines = [line for line in told.splitlines() if "→" not in line]
    assert len(lines) == len(story)
    column = lines[0].index("task_assigned")
    assert all(line[column - 2 : column] == "  " and line[column] != " " for line in lines)
    assert any(line[:column].endswith("s  ") for line in lines), "the program's time is told"


def test_i9_why_tells_of_a_worker(at_work: Officectl) -> None:
    worker = at_work("worker", "list", "-o", "json").items[0]
    told = at_work("why", f"worker:{worker['host']}").out
    assert [event in told for event in ("registered", "lives")] == [True] * 2


def test_i8_a_wait_tells_failure_and_need_of_a_person_apart(at_work: Officectl) -> None:
    at_work("task", "create", "Nothing to launch", "-a", "lost")
    assert at_work("wait", "t1", *PATIENCE).code == 6
    inbox = at_work("inbox", "-o", "json").items
    assert [(item["agent"], item["task"]) for item in inbox] == [("lost", "t1")]
    at_work("agent", "edit", "lost", "--", "/bin/sh", "-c", "echo found")
    assert at_work("retry", "r1").code == 0


def test_i8_a_stopped_run_leaves_nothing_and_is_no_success(at_work: Officectl) -> None:
    at_work("task", "create", "Sleep", "-a", "sleeper")
    late = at_work("wait", "t1", "--timeout", "1.5")
    assert late.code == 1
    assert "has not ended" in late.err
    assert at_work("stop", "t1", "--reason", "enough").code == 0
    assert at_work("wait", "t1", *PATIENCE).code == 1
    run = at_work("run", "show", "r1", "-o", "json").items[0]
    assert run["result"] == "stopped"
    assert at_work("logs", "r1").out.startswith("begun\n")


def test_i8_what_waits_says_what_lifts_it(staffed: Officectl, database: str) -> None:
    staffed("task", "create", "First", "-a", "lead")
    staffed("task", "create", "Second", "-a", "triage", "--blocked-by", "t1")
    with psycopg.connect(database) as desk:
        desk.execute("select office.dispatch()")
    story = staffed("why", "t1", "-o", "json").items
    assert story
    assert staffed("why", "t2").code == 0


@pytest.mark.parametrize("leave", [False, True], ids=["stops", "leaves"])
def test_i8_up_makes_a_database_of_its_own(cluster_folder: Path, leave: bool) -> None:
    cluster = Cluster(cluster_folder)
    words = ["up", "--folder", str(cluster_folder), *(["--leave-database"] if leave else [])]
    with subprocess.Popen(
        [*OFFICECTL, *words], env=without_database(), stdout=subprocess.PIPE, text=True
    ) as office:
        assert office.stdout is not None
        for line in office.stdout:
            if "is open" in line:
                break
        told = subprocess.run(
            [*OFFICECTL, "status", "-o", "json"],
            env=without_database() | {"OFFICE_DSN": cluster.dsn},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(told.stdout)["items"][0]["pending_migrations"] == []
        assert json.loads(told.stdout)["items"][0]["embedded"] is True
        second = subprocess.run(
            [*OFFICECTL, *words], env=without_database(), capture_output=True, text=True, check=False
        )
        assert (second.returncode, second.stdout) == (1, "")
        refusal, hint = second.stderr.splitlines()
        assert refusal.endswith(f"an office is open already on {cluster_folder}, by process {office.pid}")
        assert "officectl serve --dsn" in hint
        assert cluster.running
        office.send_signal(signal.SIGINT)
        assert office.wait(30) == 0
    assert cluster.running is leave
