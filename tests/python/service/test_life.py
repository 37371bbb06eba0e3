"""The way of a run through a serving process, with real programs."""

import json
import logging
from pathlib import Path

import psutil
import pytest
from psycopg.conninfo import make_conninfo

from officectl.database import grants

from .conftest import Desk, Process, Serving, until

RUN = "select * from office.runs where number = 1"
ENDED = RUN + " and status = any(%s)"


async def test_a_wake_becomes_a_process_and_its_end_a_row(
    desk: Desk, serving: Serving, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Q11, X1, E1, K15: woken, claimed, launched, heard, ended, and cleaned up."""
    caplog.set_level(logging.INFO, "officectl")
    desk.agent(
        "triage",
        """cat > prompt; echo hello; echo '{"summary": "did it", "n": 1}'; echo oops >&2""",
        tmp_path,
    )
    async with serving():
        desk.wake("triage")
        run = await desk.until(ENDED, ["finished"])
        attempt = await desk.until(
            "select * from office.attempts where run_id = %s and cleaned_at is not null", run["id"]
        )
    assert run["outcome"] == "succeeded"
    assert attempt["result"] == {"summary": "did it", "n": 1, "changed_files": ["prompt"]}
    assert attempt["exit_code"] == 0
    assert attempt["killed"] == 0
    assert attempt["pid"] is not None
    steps = desk.rows(
        "select * from office.attempt_steps where attempt_id = %s order by sequence", attempt["id"]
    )
    assert [step["sequence"] for step in steps] == [1, 2, 3]
    assert ("output", "hello") in [(step["kind"], step["content"]) for step in steps]
    assert ("error", "oops") in [(step["kind"], step["content"]) for step in steps]
    assert (tmp_path / "prompt").read_text()
    told = [record.getMessage() for record in caplog.records]
    assert any(line.startswith("r1 triage: started") for line in told)
    assert any(line.startswith("r1 triage: finished succeeded, after") for line in told)


async def test_a_program_knows_its_run_and_no_database(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    """X1, X2: the office's names and ids, the mark, and no DSN."""
    desk.agent("triage", "env > seen.part && mv seen.part seen", tmp_path)
    async with serving():
        desk.wake("triage")
        run = await desk.until(ENDED, ["finished"])
    seen = dict(line.split("=", 1) for line in (tmp_path / "seen").read_text().splitlines() if "=" in line)
    assert seen["OFFICE_RUN_ID"] == str(run["id"])
    assert seen["OFFICE_ATTEMPT_ID"] == str(run["attempt_id"])
    assert seen["OFFICE_RUN"] == "r1"
    assert seen["OFFICE_AGENT"] == "triage"
    assert seen["OFFICE_WAKE_REASON"] == "user"
    assert {"OFFICE_SOCKET", "OFFICE_TOKEN", "OFFICE_WORKSPACE", "OFFICE_WORKER_ID"} <= set(seen)
    assert not [name for name in seen if name.startswith("PG") or "DSN" in name]


async def test_a_long_payload_is_a_file_while_the_program_runs(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    """X1: past 64 KB the payload is in a file, which goes with the attempt."""
    desk.agent(
        "triage", 'echo "$OFFICE_WAKE_PAYLOAD_FILE" > where; cp "$OFFICE_WAKE_PAYLOAD_FILE" seen', tmp_path
    )
    async with serving():
        desk.rows(
            "select * from office.wake('triage',"
            " payload => jsonb_build_object('context', repeat('x', 70000)))"
        )
        await desk.until(ENDED, ["finished"])
        where = Path((tmp_path / "where").read_text().strip())
        await until(lambda: not where.exists())
    assert json.loads((tmp_path / "seen").read_text())["context"] == "x" * 70000


async def test_a_failure_is_told_with_its_complaint(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    """Q18: exit code and stderr reach the attempt."""
    desk.agent("triage", "echo broken >&2; exit 3", tmp_path)
    async with serving():
        desk.wake("triage")
        attempt = await desk.until("select * from office.attempts where ended_at is not null")
    assert attempt["error"] == "exit 3: broken"
    assert attempt["exit_code"] == 3


async def test_a_missing_folder_blocks_the_run(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    """Q23, X4: a person has to mend it."""
    desk.agent("triage", "true", tmp_path / "nowhere")
    async with serving():
        desk.wake("triage")
        await desk.until(ENDED, ["blocked"])
        attempt = await desk.until("select * from office.attempts where ended_at is not null")
    assert "nowhere" in attempt["error"]


async def test_a_stop_ends_the_program_and_the_run(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    """P2: heard by notification, whatever exit code the program finds for it."""
    desk.agent("triage", "trap 'exit 0' INT; echo $$ > pid; while :; do sleep 0.1; done", tmp_path)
    desk.set("worker_lease_seconds", "60")
    desk.set("worker_heartbeat_seconds", "20")
    async with serving():
        desk.wake("triage")
        await desk.until(ENDED, ["running"])
        await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
        desk.rows("select * from office.stop('r1', 'enough')")
        run = await desk.until(ENDED, ["cancelled"])
        await desk.until("select from office.attempts where cleaned_at is not null")
    assert run["result"] == "stopped"
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


async def test_several_runs_at_once_and_never_more(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    """Q11: as many as the worker has room for; a slot that comes free is used at once."""
    script = "echo > at.$OFFICE_RUN; ls at.* | wc -l >> seen; sleep 0.3; rm at.$OFFICE_RUN"
    for number in range(6):
        desk.agent(f"agent{number}", script, tmp_path)
    async with serving(max_runs=2):
        for number in range(6):
            desk.wake(f"agent{number}")
        await desk.until("select from office.runs having count(*) filter (where status = 'finished') = 6")
    assert set((tmp_path / "seen").read_text().split()) == {"1", "2"}


async def test_many_short_runs(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    """Q11: each is launched once."""
    for number in range(20):
        desk.agent(f"agent{number}", "echo $OFFICE_RUN >> ran", tmp_path)
    async with serving(max_runs=8):
        for number in range(20):
            desk.wake(f"agent{number}")
        await desk.until("select from office.runs having count(*) filter (where status = 'finished') = 20")
    ran = (tmp_path / "ran").read_text().split()
    assert sorted(ran) == sorted(f"r{number}" for number in range(1, 21))


async def test_a_login_that_may_only_work_works(
    desk: Desk, database: str, process: Process, tmp_path: Path
) -> None:
    """I5, I8: the role office_worker and a gateway for tokens are all that `serve` needs."""
    desk.connection.execute("drop role if exists only_works")
    desk.connection.execute("create role only_works login")
    grants.grant(database, "only_works", role="worker", gateway="token")
    code = "officectl agent note-decision 'Blue it is.' && echo done"
    desk.agent("triage", code, tmp_path)
    process(dsn=make_conninfo(database, user="only_works"))
    desk.wake("triage")
    run = await desk.until(ENDED, ["finished"])
    await desk.until("select from office.attempts where cleaned_at is not null")
    assert run["outcome"] == "succeeded"
    assert desk.rows(
        "select v.detail, a.name from office.activity as v join office.agents as a on a.id = v.agent_id"
        " where v.kind = 'decision_noted'"
    ) == [{"detail": {"decision": "Blue it is."}, "name": "triage"}]
    assert desk.row("select db_login from office.workers") == {"db_login": "only_works"}


async def test_polling_alone_is_enough(
    desk: Desk, serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Q15, I13: without any notification, as behind a pooling proxy."""
    monkeypatch.setenv("OFFICE_DIRECT_DSN", "host=/nowhere dbname=nothing")
    desk.agent("triage", "true", tmp_path)
    async with serving():
        await desk.until("select from office.workers")
        desk.wake("triage")
        await desk.until(ENDED, ["finished"])
