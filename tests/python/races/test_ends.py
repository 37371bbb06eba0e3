"""K12, P5: ends are decided once. Finish, fail, stop, sweep, beat and retry against one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from support.races import Background, wait_until_blocked

from .conftest import Office, Row, Worker, together

REFUSED = "PT409"


@pytest.fixture
def ada(office: Office) -> Office:
    office.agent("ada")
    return office


def answered(statement: Background) -> Row:
    """The one row of a statement, or the code of its refusal."""
    try:
        (row,) = statement.rows()
    except psycopg.Error as error:
        assert error.sqlstate == REFUSED, error
        return {"refused": error.sqlstate}
    return row  # type: ignore[no-any-return]


FINISH = "select * from office.finish_attempt('{attempt_id}')"
FAIL = "select * from office.fail_attempt('{attempt_id}', 'broken')"
BLOCK = "select * from office.fail_attempt('{attempt_id}', 'broken', 'configuration')"
STOP = "select status, result from office.stop('{run}')"
EXPIRE = "select office.expire_worker('{worker_id}') as n"

# What the second of two does when the first has committed; and what the run is in the end.
PAIRS: dict[tuple[str, str], tuple[Callable[[Row], bool], str]] = {
    (FINISH, FINISH): (lambda row: row["outcome"] == "succeeded", "succeeded"),
    (FINISH, FAIL): (lambda row: "refused" in row, "succeeded"),
    (FINISH, STOP): (lambda row: row["result"] == "succeeded" or not row, "succeeded"),
    (FINISH, EXPIRE): (lambda row: row["n"] == 0, "succeeded"),
    (FAIL, FINISH): (lambda row: "refused" in row, "queued"),
    (FAIL, FAIL): (lambda row: row["status"] == "queued", "queued"),
    (FAIL, STOP): (lambda row: row["result"] == "stopped", "stopped"),
    (FAIL, EXPIRE): (lambda row: row["n"] == 0, "queued"),
    (BLOCK, FINISH): (lambda row: "refused" in row, "blocked"),
    (BLOCK, FAIL): (lambda row: row["status"] == "blocked", "blocked"),
    (STOP, FINISH): (lambda row: row["status"] == "cancelled", "stopped"),
    (STOP, FAIL): (lambda row: row["status"] == "cancelled", "stopped"),
    (STOP, BLOCK): (lambda row: row["status"] == "cancelled", "stopped"),
    (STOP, STOP): (lambda row: row["status"] == "stopping", "stopping"),
    (STOP, EXPIRE): (lambda row: row["n"] == 1, "stopped"),
    (EXPIRE, FINISH): (lambda row: "refused" in row, "interrupted"),
    (EXPIRE, FAIL): (lambda row: "refused" in row, "interrupted"),
    (EXPIRE, EXPIRE): (lambda row: row["n"] == 0, "interrupted"),
}


def name(pair: tuple[str, str]) -> str:
    names = {FINISH: "finish", FAIL: "fail", BLOCK: "block", STOP: "stop", EXPIRE: "expire"}
    return "-".join(names[statement] for statement in pair)


@pytest.mark.parametrize("pair", PAIRS, ids=name)
def test_the_first_end_stands(ada: Office, pair: tuple[str, str]) -> None:
    """K12 finish/stop, sc-D7, P5, Q16: the second waits for the first, then returns its end or is refused."""
    fits, result = PAIRS[pair]
    worker, launch = ada.running("ada")
    first, second = (statement.format(**launch, worker_id=worker.id) for statement in pair)
    one, two = ada.session(), ada.session(patient=True)
    one.execute("begin")
    one.execute(first.encode())
    with Background(two, second) as other:
        wait_until_blocked(ada.watcher, other.pid, by=one.info.backend_pid)
        one.execute("commit")
        if pair == (FINISH, STOP):
            assert other.rows() == [], "nothing is left to stop"
        else:
            answer = answered(other)
            assert fits(answer), answer
    assert ada.run(launch)["result"] == result
    ends = ada.value("select count(*) from office.activity where kind = 'run_ended'")
    assert ends == (0 if result in ("queued", "stopping") else 1)
    worker.conn.execute("select office.drain_worker(%s)", [worker.id])
    ada.settle()


@pytest.mark.parametrize("pair", PAIRS, ids=name)
def test_an_end_that_rolls_back_was_none(ada: Office, pair: tuple[str, str]) -> None:
    """P5, Q17: what the first would have done is undone whole; the second ends the run as if alone."""
    alone = {FINISH: "succeeded", FAIL: "queued", BLOCK: "blocked", STOP: "stopping", EXPIRE: "interrupted"}
    worker, launch = ada.running("ada")
    first, second = (statement.format(**launch, worker_id=worker.id) for statement in pair)
    one, two = ada.session(), ada.session(patient=True)
    one.execute("begin")
    one.execute(first.encode())
    with Background(two, second) as other:
        wait_until_blocked(ada.watcher, other.pid, by=one.info.backend_pid)
        one.execute("rollback")
        other.rows()
    assert ada.run(launch)["result"] == alone[pair[1]]
    worker.conn.execute("select office.drain_worker(%s)", [worker.id])
    ada.settle()


def make_overdue(office: Office) -> None:
    """Every lease has run out, and the sweep passed a period ago: so it is no sleep of the machine (Q22)."""
    office.rows("select testing.install_clock(now() + interval '1 day')")
    office.rows("select office.maintain()")
    office.rows("select testing.advance('61 seconds')")


SWEEP = "select done from office.maintain() where piece = 'leases'"


def test_a_sweep_waits_for_an_open_end(ada: Office) -> None:
    """K12 finish/lease sweep, Q22: the sweep takes the gate, then looks: the run has ended."""
    worker, launch = ada.running("ada")
    make_overdue(ada)
    sweeper = ada.session(patient=True)
    worker.conn.execute("begin")
    worker.finish(launch)
    with Background(sweeper, SWEEP) as sweep:
        wait_until_blocked(ada.watcher, sweep.pid, by=worker.conn.info.backend_pid)
        worker.conn.execute("commit")
        assert sweep.rows() == [{"done": 0}]
    assert ada.run(launch)["result"] == "succeeded"
    ada.settle()


def test_an_end_waits_for_an_open_sweep(ada: Office) -> None:
    """K12 finish/lease sweep: what the sweep has interrupted stays so; the late end is told."""
    _, launch = ada.running("ada")
    make_overdue(ada)
    sweeper, patient = ada.session(), ada.session(patient=True)
    sweeper.execute("begin")
    assert sweeper.execute(SWEEP).fetchone() == {"done": 1}
    with Background(patient, FINISH.format(**launch)) as end:
        wait_until_blocked(ada.watcher, end.pid, by=sweeper.info.backend_pid)
        sweeper.execute("commit")
        assert answered(end) == {"refused": REFUSED}
    assert ada.run(launch)["status"] == "interrupted"
    ada.settle()


def test_a_beat_under_way_saves_the_lease(ada: Office) -> None:
    """K12 heartbeat/sweep, Q22: the sweep waits for the worker's row, and reads the lease after that."""
    worker, launch = ada.running("ada")
    make_overdue(ada)
    sweeper = ada.session(patient=True)
    worker.conn.execute("begin")
    worker.heartbeat()
    with Background(sweeper, SWEEP) as sweep:
        wait_until_blocked(ada.watcher, sweep.pid, by=worker.conn.info.backend_pid)
        worker.conn.execute("commit")
        assert sweep.rows() == [{"done": 0}]
    assert ada.run(launch)["status"] == "running"
    worker.finish(launch)
    ada.settle()


def test_a_beat_after_the_sweep_is_told(ada: Office) -> None:
    """K12 heartbeat/sweep: the beat waits for the sweep, then hears that the lease is lost."""
    worker, launch = ada.running("ada")
    make_overdue(ada)
    sweeper, patient = ada.session(), ada.session(patient=True)
    sweeper.execute("begin")
    sweeper.execute(SWEEP)
    with Background(patient, "select * from office.heartbeat(%s)", [worker.id]) as beat:
        wait_until_blocked(ada.watcher, beat.pid, by=sweeper.info.backend_pid)
        sweeper.execute("commit")
        with pytest.raises(psycopg.Error, match="lease_lost") as refused:
            beat.rows()
        assert refused.value.sqlstate == REFUSED
    assert ada.run(launch)["status"] == "interrupted"
    ada.settle()


def test_a_beat_waits_for_no_gate(ada: Office) -> None:
    """Q22: the gates may be held for long; a worker that lives keeps its lease all the same."""
    worker, launch = ada.running("ada")
    holder = ada.session()
    holder.execute("begin")
    holder.execute("select office_internal.take_all_gates()")
    before = ada.value("select lease_until from office.workers where id = %s", worker.id)
    worker.heartbeat()
    assert ada.value("select lease_until from office.workers where id = %s", worker.id) > before
    holder.execute("rollback")
    worker.finish(launch)
    ada.settle()


def test_two_sweeps(ada: Office) -> None:
    """Q22: the second does nothing and does not wait."""
    _, launch = ada.running("ada")
    make_overdue(ada)
    first, second = ada.session(), ada.session()
    first.execute("begin")
    assert first.execute(SWEEP).fetchone() == {"done": 1}
    assert second.execute(SWEEP).fetchone() == {"done": 0}
    first.execute("commit")
    assert ada.value("select count(*) from office.decisions where kind = 'interrupted'") == 1
    assert ada.run(launch)["status"] == "interrupted"
    ada.settle()


def test_a_sweep_during_a_claim_of_the_same_worker(ada: Office) -> None:
    """Q22, P3: the claim's run is seen and given back, not orphaned."""
    ada.wake("ada")
    worker = ada.worker()
    make_overdue(ada)
    sweeper = ada.session(patient=True)
    worker.conn.execute("begin")
    (launch,) = worker.claim(1)
    with Background(sweeper, SWEEP) as sweep:
        wait_until_blocked(ada.watcher, sweep.pid, by=worker.conn.info.backend_pid)
        worker.conn.execute("commit")
        assert sweep.rows() == [{"done": 1}]
    run = ada.run(launch)
    assert (run["status"], run["retry_count"]) == ("queued", 0)
    ada.settle()


@pytest.mark.parametrize("status", ["blocked", "interrupted"])
def test_two_retries(ada: Office, status: str) -> None:
    """K12 retry/retry, P4: the first queues the run again; the second is told that it is under way."""
    worker, launch = ada.running("ada")
    if status == "blocked":
        worker.fail(launch, "configuration")
    worker.drain()
    assert ada.run(launch)["status"] == status
    retry = f"select * from office.retry_run('{launch['run']}')"
    first, second = ada.session(), ada.session(patient=True)
    first.execute("begin")
    first.execute(retry.encode())
    with Background(second, retry) as other:
        wait_until_blocked(ada.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        assert answered(other) == {"refused": REFUSED}
    assert len(ada.worker().claim(10)) == 1
    assert ada.value("select count(*) from office.attempts where run_id = %s", launch["run_id"]) == 2
    ada.rows("select office.expire_worker(id) from office.workers where ended_at is null")
    ada.settle()


def test_many_ends_of_one_attempt_leave_one(ada: Office) -> None:
    """P5: all of them at once, again and again: one outcome, and one end in the books each time."""
    for turn in range(12):
        worker, launch = ada.running("ada")
        answers: list[Any] = []

        def end(
            statement: str, launch: Row = launch, worker: Worker = worker, answers: list[Any] = answers
        ) -> None:
            session = ada.session(patient=True)
            try:
                session.execute(statement.format(**launch, worker_id=worker.id).encode())
            except psycopg.Error as error:
                answers.append(error.sqlstate)
            session.close()

        together(
            *[
                lambda statement=statement: end(statement)
                for statement in (FINISH, BLOCK, STOP, EXPIRE, FINISH, FAIL)
            ]
        )
        assert set(answers) <= {REFUSED}
        run = ada.run(launch)
        assert run["result"] in ("succeeded", "blocked", "stopped", "interrupted", "queued"), turn
        outcomes = ada.rows("select outcome from office.attempts where run_id = %s", launch["run_id"])
        assert len(outcomes) == 1
        assert ada.audit() == []
        ada.rows("select office.stop('workspace:acme')")
        ada.settle()
