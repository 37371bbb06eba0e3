"""What a serving process does when something breaks: itself, its lease, the database."""

import asyncio
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from officectl.errors import Refused, Unreachable, VersionMismatch
from officectl.service import worker
from officectl.service.calls import Calls

from .conftest import Desk, Process, Serving, until

FOREVER = "echo $$ >> pids; trap '' INT TERM; while :; do sleep 0.1; done"
"""A program that does not listen."""


def pids(folder: Path) -> list[int]:
    path = folder / "pids"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def living(folder: Path) -> list[int]:
    return [pid for pid in pids(folder) if psutil.pid_exists(pid)]


async def test_a_killed_worker_is_settled_and_another_goes_on(
    desk: Desk, process: Process, tmp_path: Path
) -> None:
    """Q22, P3, K15: kill -9 of one of two: its program is gone, its run interrupted, and work goes on."""
    desk.agent("stuck", FOREVER, tmp_path)
    desk.agent("quick", "true", tmp_path)
    first = process("--max-runs", "1")
    desk.wake("stuck")
    await desk.until("select from office.runs where status = 'running'")
    await until(lambda: living(tmp_path))
    process("--max-runs", "1")
    await desk.until("select from office.workers having count(*) = 2")
    first.kill()
    await until(lambda: not living(tmp_path))
    desk.wake("quick")
    await desk.until("select from office.runs where number = 2 and status = 'finished'")
    await desk.until("select from office.runs where number = 1 and status = 'interrupted'")
    assert len(pids(tmp_path)) == 1


async def test_the_next_worker_cleans_up_before_it_claims(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    """P7: what still carries the mark of a dead worker's attempt is killed and confirmed."""
    desk.agent("stuck", FOREVER, tmp_path)
    host = psutil.os.uname().nodename
    registered = desk.row("select * from office.register_worker(%s)", host)
    desk.wake("stuck")
    launch = await desk.until(
        "select * from office.claim_runs(%s, 1) where run_id is not null", registered["worker_id"]
    )
    attempt = launch["attempt_id"]
    desk.rows("select * from office.start_attempt(%s)", attempt)
    desk.rows("select office.expire_worker(%s)", registered["worker_id"])
    stray = await asyncio.create_subprocess_exec("sleep", "60", env={"OFFICE_ATTEMPT_ID": str(attempt)})
    async with serving():
        confirmed = await desk.until(
            "select * from office.attempts where id = %s and cleaned_at is not null", attempt
        )
    assert await stray.wait() == -signal.SIGKILL
    assert confirmed["killed"] == 1


async def test_a_worker_that_lost_its_lease_kills_what_it_runs_and_starts_anew(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    """Q22: it is told, its program goes, and it works on under a new id."""
    desk.agent("stuck", FOREVER, tmp_path)
    desk.agent("quick", "true", tmp_path)
    async with serving(max_runs=2):
        desk.wake("stuck")
        run = await desk.until("select * from office.runs where status = 'running'")
        await until(lambda: living(tmp_path))
        desk.rows("select office.expire_worker(%s)", run["worker_id"])
        await until(lambda: not living(tmp_path))
        desk.wake("quick")
        quick = await desk.until("select * from office.runs where number = 2 and status = 'finished'")
        await desk.until(
            "select from office.attempts where id = %s and cleaned_at is not null", run["attempt_id"]
        )
    assert quick["worker_id"] != run["worker_id"]
    assert desk.row("select status from office.runs where number = 1")["status"] == "interrupted"


async def test_a_graceful_stop_lets_a_run_end(desk: Desk, process: Process, tmp_path: Path) -> None:
    """P3: within the grace; nothing new is claimed, exit code 0, nothing logged about connections."""
    desk.agent("slow", "echo $$ > pids; while [ ! -e go ]; do sleep 0.05; done; echo ended well", tmp_path)
    served = process("--grace", "30")
    desk.wake("slow")
    await until(lambda: pids(tmp_path))
    served.send_signal(signal.SIGTERM)
    await until(lambda: desk.rows("select from office.runs where status = 'running'"))
    (tmp_path / "go").touch()
    _, log = await asyncio.to_thread(served.communicate, timeout=30)
    assert served.returncode == 0, log
    assert desk.row("select status from office.runs")["status"] == "finished"
    assert desk.row("select ended_at from office.workers")["ended_at"] is not None
    assert desk.row("select cleaned_at from office.attempts")["cleaned_at"] is not None
    assert "WARNING" not in log
    assert "ERROR" not in log


@pytest.mark.parametrize("hurry", [False, True], ids=["grace", "second-signal"])
async def test_what_does_not_end_in_time_is_stopped_and_interrupted(
    hurry: bool, desk: Desk, process: Process, tmp_path: Path
) -> None:
    """P3, K15: after the grace, or at a second signal."""
    desk.agent("stuck", FOREVER, tmp_path)
    served = process("--grace", "300" if hurry else "0.2")
    desk.wake("stuck")
    await until(lambda: living(tmp_path))
    served.send_signal(signal.SIGINT)
    if hurry:
        assert served.stderr
        while "stopping: 1 runs" not in await asyncio.to_thread(served.stderr.readline):
            assert served.poll() is None
        served.send_signal(signal.SIGINT)
    await asyncio.to_thread(served.communicate, timeout=30)
    assert served.returncode == 0
    assert not living(tmp_path)
    assert desk.row("select status from office.runs")["status"] == "interrupted"
    assert desk.row("select cleaned_at from office.attempts")["cleaned_at"] is not None


@contextmanager
def outage(cluster_dsn: str, database: str, desk: Desk) -> Iterator[None]:
    """Nobody reaches the database, but the desk that is connected already."""
    name = str(conninfo_to_dict(database)["dbname"])
    allow = sql.SQL("alter database {} allow_connections {}")
    with psycopg.connect(make_conninfo(cluster_dsn, dbname="postgres"), autocommit=True) as other:
        other.execute(allow.format(sql.Identifier(name), sql.SQL("false")))
        other.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s and pid <> %s",
            (name, desk.connection.info.backend_pid),
        )
        try:
            yield
        finally:
            other.execute(allow.format(sql.Identifier(name), sql.SQL("true")))


@pytest.mark.slow
async def test_without_a_database_it_ends_all_the_same(
    database: str, cluster_dsn: str, desk: Desk, process: Process, tmp_path: Path
) -> None:
    """P3, K15: its program goes, and the lease tells the office."""
    desk.agent("stuck", FOREVER, tmp_path)
    served = process("--grace", "0.2")
    desk.wake("stuck")
    await until(lambda: living(tmp_path))
    with outage(cluster_dsn, database, desk):
        served.send_signal(signal.SIGTERM)
        _, log = await asyncio.to_thread(served.communicate, timeout=60)
    assert served.returncode == 0
    assert "Traceback" not in log
    assert not living(tmp_path)


async def test_an_outage_of_the_database_is_waited_out(
    database: str,
    cluster_dsn: str,
    desk: Desk,
    serving: Serving,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """P5, Q17: an end is told once the database answers; one line says that it was lost."""
    caplog.set_level(logging.INFO, "officectl")
    desk.set("worker_lease_seconds", "60")
    desk.agent(
        "slow", "echo $$ > pids; while [ ! -e go ]; do sleep 0.05; done; echo done; touch gone", tmp_path
    )
    async with serving():
        desk.wake("slow")
        await desk.until("select from office.runs where status = 'running'")
        await until(lambda: pids(tmp_path))
        with outage(cluster_dsn, database, desk):
            (tmp_path / "go").touch()
            await until((tmp_path / "gone").exists)
            await until(lambda: "does not answer" in caplog.text)
        run = await desk.until("select * from office.runs where status = 'finished'")
        await until(lambda: "answers again" in caplog.text)
    assert run["outcome"] == "succeeded"
    assert caplog.text.count("does not answer") <= 2


async def test_a_claim_whose_answer_was_lost_is_given_back(
    desk: Desk, serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Q11, Q22: the worker lives and keeps its lease, so nobody else would ever launch those runs."""
    desk.agent("triage", "true", tmp_path)
    asked = Calls.query

    async def lossy(self: Calls, query: Any, parameters: Any = None, **options: Any) -> Any:
        rows = await asked(self, query, parameters, **options)
        if query == worker.CLAIM and rows[0]["run_id"]:
            monkeypatch.setattr(Calls, "query", asked)
            raise Unreachable("the connection is lost")
        return rows

    monkeypatch.setattr(Calls, "query", lossy)
    async with serving():
        desk.wake("triage")
        await desk.until("select from office.attempts where ended_at is not null and cleaned_at is not null")
    assert desk.row("select count(*) as n from office.runs where status in ('claimed', 'running')")["n"] == 0


async def test_a_deploy_is_waited_for_but_not_for_ever(
    desk: Desk, serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A4, I8: claims that answer `schema_changed` are tried again, then the service ends with its reason."""
    asked = Calls.query
    refused = asyncio.Event()

    async def changed(self: Calls, query: Any, parameters: Any = None, **options: Any) -> Any:
        if query == worker.CLAIM:
            refused.set()
            raise Refused("A deploy is under way.", code="schema_changed", status=409)
        return await asked(self, query, parameters, **options)

    monkeypatch.setattr(Calls, "query", changed)
    desk.agent("triage", "true", tmp_path)
    desk.wake("triage")
    async with serving():
        await asyncio.wait_for(refused.wait(), 30)
        monkeypatch.setattr(Calls, "query", asked)
        await desk.until("select from office.runs where status = 'finished'")
    monkeypatch.setattr(worker, "DEPLOY_SECONDS", 0.1)
    monkeypatch.setattr(Calls, "query", changed)
    with pytest.raises(VersionMismatch):
        async with serving() as service:
            await asyncio.wait_for(service, 30)
    assert desk.rows("select from office.workers where ended_at is null") == []


def test_serve_refuses_a_database_that_is_not_deployed(process: Process, fresh_database: str) -> None:
    """I8: exit code 5, one line and a hint; serve never migrates."""
    served = process(dsn=fresh_database)
    _, log = served.communicate(timeout=30)
    assert served.returncode == VersionMismatch.exit_code
    assert "officectl db migrate" in log
    assert "Traceback" not in log
    with psycopg.connect(fresh_database) as connection:
        assert connection.execute("select to_regnamespace('office')").fetchone() == (None,)


def test_serve_says_that_it_cannot_reach_the_database(process: Process, tmp_path: Path) -> None:
    """I8: exit code 3."""
    served = process(dsn=f"host={tmp_path} dbname=x")
    _, log = served.communicate(timeout=30)
    assert served.returncode == Unreachable.exit_code
    assert "Traceback" not in log


@pytest.mark.parametrize("terms", [1, 2])
async def test_serve_ends_although_a_program_stopped_its_keeper(
    terms: int, desk: Desk, process: Process, tmp_path: Path
) -> None:
    """P3, K15: TERM ends it after the grace, a second one at once; program and keeper are gone."""
    desk.agent("stuck", "kill -STOP $PPID; echo $PPID > pids; " + FOREVER, tmp_path)
    served = process("--grace", "0" if terms == 1 else "300")
    desk.wake("stuck")
    await until(lambda: len(living(tmp_path)) == 2)
    for _ in range(terms):
        served.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.5)
    _, log = await asyncio.to_thread(served.communicate, timeout=45)
    assert served.returncode == 0, log
    assert not living(tmp_path)
