"""P4, P5, K12: what a person says about many runs at once, against claims, ends and one another."""

from __future__ import annotations

import psycopg
import pytest
from support.races import Background, wait_until_blocked

from .conftest import Office, Row, Worker, together

STOP_ALL = "select * from office.stop_runs(workspace => 'acme', dry_run => false)"
RETRY_ALL = "select * from office.retry_runs(workspace => 'acme', dry_run => false)"
CLAIM = "select * from office.claim_runs(%s, 10) where run_id is not null"
PAUSE = "select * from office.pause('workspace:acme', 'enough')"
RESUME = "select * from office.resume('workspace:acme')"
FINISH = "select * from office.finish_attempt('{attempt_id}')"
STOP = "select * from office.stop('{run}')"
EXPIRE = "select office.expire_worker('{worker_id}') as n"
BLOCK = "select * from office.fail_attempt('{attempt_id}', 'broken', 'configuration')"


@pytest.fixture
def ada(office: Office) -> Office:
    office.agent("ada")
    return office


def after(office: Office, first: str, second: str) -> list[Row]:
    """What the second answers that came while the first was open, and waited for it."""
    one, two = office.session(), office.session(patient=True)
    one.execute("begin")
    one.execute(first.encode())
    with Background(two, second) as other:
        wait_until_blocked(office.watcher, other.pid, by=one.info.backend_pid)
        one.execute("commit")
        return other.rows()


def blocked(office: Office) -> tuple[Worker, Row]:
    """A run of ada that is blocked."""
    worker, launch = office.running("ada")
    worker.fail(launch, "configuration")
    assert office.run(launch)["status"] == "blocked"
    return worker, launch


def leave(office: Office, worker: Worker) -> None:
    worker.conn.execute("select office.drain_worker(%s)", [worker.id])
    office.settle()


def test_a_claim_waits_for_an_open_stop_of_many(ada: Office) -> None:
    """K12 stop/claim: what was stopped while it waited is not launched."""
    ada.wake("ada")
    ada.rows("select office.dispatch('acme')")
    stopper, worker = ada.session(), ada.worker(ada.session(patient=True))
    stopper.execute("begin")
    assert [row["becomes"] for row in stopper.execute(STOP_ALL).fetchall()] == ["stopped"]
    with Background(worker.conn, CLAIM, [worker.id]) as claim:
        wait_until_blocked(ada.watcher, claim.pid, by=stopper.info.backend_pid)
        stopper.execute("commit")
        assert claim.rows() == []
    assert ada.rows("select result from office.runs") == [{"result": "stopped"}]


def test_a_stop_of_many_waits_for_an_open_claim(ada: Office) -> None:
    """K12 claim/stop: what was claimed meanwhile is asked to stop, not ended under its worker's feet."""
    ada.wake("ada")
    worker, stopper = ada.worker(), ada.session(patient=True)
    worker.conn.execute("begin")
    (launch,) = worker.claim(1)
    with Background(stopper, STOP_ALL) as stop:
        wait_until_blocked(ada.watcher, stop.pid, by=worker.conn.info.backend_pid)
        worker.conn.execute("commit")
        assert [(row["was"], row["becomes"]) for row in stop.rows()] == [("claimed", "stopping")]
    assert worker.start(launch) == "stopping"
    worker.finish(launch)
    assert ada.run(launch)["result"] == "stopped"
    leave(ada, worker)


@pytest.mark.parametrize(
    "first, second, result", [(STOP_ALL, FINISH, "stopped"), (FINISH, STOP_ALL, "succeeded")]
)
def test_a_stop_of_many_and_an_end(ada: Office, first: str, second: str, result: str) -> None:
    """P5 stop/finish: one outcome, whichever comes first."""
    worker, launch = ada.running("ada")
    answer = after(ada, first.format(**launch), second.format(**launch))
    assert ada.run(launch)["result"] == result
    assert (answer == []) == (second == STOP_ALL), "after the end there is nothing to stop"
    assert ada.value("select count(*) from office.activity where kind = 'run_ended'") == 1
    leave(ada, worker)


@pytest.mark.parametrize("first, second, result", [(STOP, FINISH, "stopped"), (FINISH, STOP, "succeeded")])
def test_a_stop_and_an_end_at_the_same_moment(ada: Office, first: str, second: str, result: str) -> None:
    """P5 stop/finish: the second sees what the first has made."""
    worker, launch = ada.running("ada")
    after(ada, first.format(**launch), second.format(**launch))
    assert ada.run(launch)["result"] == result
    leave(ada, worker)


def test_to_look_holds_no_gate(ada: Office) -> None:
    """P4, A6: the count first is given with the gates of a moment; a psql left open holds up nobody."""
    worker, launch = ada.running("ada")
    looker = ada.session()
    looker.execute("begin")
    looked = looker.execute("select * from office.stop_runs(workspace => 'acme')").fetchall()
    assert [row["becomes"] for row in looked] == ["stopping"]
    worker.finish(launch)
    assert ada.run(launch)["result"] == "succeeded"
    ada.wake("ada")
    assert len(worker.claim(1)) == 1
    looker.execute("commit")
    leave(ada, worker)


def test_a_claim_waits_for_an_open_retry_of_many(ada: Office) -> None:
    """K12 retry/claim: it sees what was queued while it waited."""
    worker, launch = blocked(ada)
    retrier, patient = ada.session(), ada.worker(ada.session(patient=True))
    ada.rows("select office_internal.leave_signal(workspace_id, 'look') from office.runs")
    retrier.execute("begin")
    retrier.execute(RETRY_ALL)
    with Background(patient.conn, CLAIM, [patient.id]) as claim:
        wait_until_blocked(ada.watcher, claim.pid, by=retrier.info.backend_pid)
        retrier.execute("commit")
        assert [row["run"] for row in claim.rows()] == [launch["run"]]
    patient.drain()
    leave(ada, worker)


@pytest.mark.parametrize(
    "first, second", [(RETRY_ALL, RETRY_ALL), (RETRY_ALL, "select * from office.retry_run('{run}')")]
)
def test_two_retries_are_one(ada: Office, first: str, second: str) -> None:
    """P4: the second finds nothing to try, or is told so; there is one new attempt."""
    worker, launch = blocked(ada)
    try:
        assert after(ada, first, second.format(**launch)) == []
    except psycopg.errors.Error as error:
        assert error.sqlstate == "PT409"
    assert ada.value("select count(*) from office.activity where kind = 'run_retried'") == 1
    (again,) = worker.claim(10)
    assert (again["run"], again["attempt_number"]) == (launch["run"], 2)
    leave(ada, worker)


def test_a_retry_of_many_meets_an_end(ada: Office) -> None:
    """P4, P5 fail/retry: what is blocked while it waits is tried again."""
    worker, launch = ada.running("ada")
    (row,) = after(ada, BLOCK.format(**launch), RETRY_ALL)
    assert (row["was"], row["becomes"]) == ("blocked", "queued")
    leave(ada, worker)


def test_a_pause_waits_for_an_open_claim(ada: Office) -> None:
    """K12 pause/claim, P1: what was claimed meanwhile is asked to stop, and returns to the queue."""
    ada.wake("ada")
    worker, pauser = ada.worker(), ada.session(patient=True)
    worker.conn.execute("begin")
    (launch,) = worker.claim(1)
    with Background(pauser, PAUSE) as pause:
        wait_until_blocked(ada.watcher, pause.pid, by=worker.conn.info.backend_pid)
        worker.conn.execute("commit")
        assert [row["stopping"] for row in pause.rows()] == [1]
    assert (ada.run(launch)["status"], ada.run(launch)["stop_reason"]) == ("stopping", "paused")
    worker.finish(launch)
    assert ada.run(launch)["status"] == "queued"
    assert worker.claim(1) == []
    ada.rows(RESUME)
    assert len(worker.claim(1)) == 1
    leave(ada, worker)


def test_a_claim_waits_for_an_open_pause(ada: Office) -> None:
    """K12 pause/claim, P1: nothing is launched after the pause."""
    ada.wake("ada")
    pauser, worker = ada.session(), ada.worker(ada.session(patient=True))
    pauser.execute("begin")
    pauser.execute(PAUSE)
    with Background(worker.conn, CLAIM, [worker.id]) as claim:
        wait_until_blocked(ada.watcher, claim.pid, by=pauser.info.backend_pid)
        pauser.execute("commit")
        assert claim.rows() == []
    ada.rows(RESUME)
    assert len(worker.claim(1)) == 1
    leave(ada, worker)


@pytest.mark.parametrize("first, second, result", [(PAUSE, FINISH, "queued"), (FINISH, PAUSE, "succeeded")])
def test_a_pause_and_an_end(ada: Office, first: str, second: str, result: str) -> None:
    """P1, P5 pause/finish: an end before the pause stands; one after it goes on after the pause."""
    worker, launch = ada.running("ada")
    after(ada, first.format(**launch), second.format(**launch))
    assert ada.run(launch)["result"] == result
    ada.rows(RESUME)
    leave(ada, worker)


@pytest.mark.parametrize("first", [STOP_ALL, PAUSE])
def test_what_a_dead_worker_was_to_stop(ada: Office, first: str) -> None:
    """P1, P2, P5 stop/expire: its runs end as their stop says; nobody is asked about them."""
    worker, launch = ada.running("ada")
    (row,) = after(ada, first, EXPIRE.format(worker_id=worker.id))
    assert row["n"] == 1
    assert ada.run(launch)["result"] == ("stopped" if first == STOP_ALL else "queued")
    assert ada.value("select count(*) from office.decisions") == 0
    ada.rows(RESUME)
    ada.settle()


def test_a_release_and_an_end(ada: Office) -> None:
    """T10: the lock is freed once; who comes second is told that there is none."""
    task = ada.task("Work", "ada")
    worker = ada.worker()
    (launch,) = worker.claim(1)
    worker.start(launch)
    one, two = ada.session(), ada.session(patient=True)
    one.execute("begin")
    one.execute(FINISH.format(**launch).encode())
    with Background(two, f"select * from office.release_task('{task}')") as release:
        wait_until_blocked(ada.watcher, release.pid, by=one.info.backend_pid)
        one.execute("commit")
        with pytest.raises(psycopg.Error, match="not locked") as refused:
            release.rows()
        assert refused.value.sqlstate == "PT409"
    leave(ada, worker)


def test_all_of_them_at_once(office: Office) -> None:
    """P5, K9: stops, retries, pauses, claims, ends by many hands: the books are in order."""
    office.slots(8)
    agents = office.agents(4, capacity=2)
    codes: set[str | None] = set()

    def say(*statements: str) -> None:
        session = office.session(patient=True)
        for n in range(24):
            try:
                session.execute(statements[n % len(statements)].encode())
            except psycopg.Error as error:
                codes.add(error.sqlstate)
        session.close()

    def work() -> None:
        worker = office.worker(office.session(patient=True))
        for n in range(30):
            for launch in worker.claim(4):
                try:
                    worker.start(launch)
                    if n % 3 == 0:
                        worker.fail(launch, "configuration")
                    else:
                        worker.finish(launch)
                except psycopg.Error as error:
                    codes.add(error.sqlstate)
        worker.drain()

    def wake() -> None:
        session = office.session(patient=True)
        for n in range(60):
            session.execute("select office.wake(%s, workspace => 'acme')", [agents[n % len(agents)]])
        session.close()

    together(
        wake,
        work,
        work,
        lambda: say("select office.stop_runs(agent => 'acme/agent0', dry_run => false)", STOP_ALL, RETRY_ALL),
        lambda: say(
            RETRY_ALL,
            "select count(*) from office.retry_runs(status => 'blocked')",
            "select * from office.stuck",
        ),
        lambda: say(PAUSE, RESUME),
    )
    assert codes <= {"PT409"}
    office.rows(RESUME)
    office.rows("select office.expire_worker(id) from office.workers where ended_at is null")
    office.settle()
    assert (
        office.rows("select * from office.runs where status in ('queued', 'claimed', 'running', 'stopping')")
        == []
    )
