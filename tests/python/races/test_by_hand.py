"""A6, A1: a hand-written statement on the office's tables against claims, and the other way round."""

from __future__ import annotations

import time
from datetime import timedelta

import psycopg
import pytest
from support.races import Background, wait_until_blocked

from .conftest import Office, together

CLAIM = "select * from office.claim_runs(%s, 10) where run_id is not null"
LATER = "update office.runs set requested_at = requested_at + interval '1 hour'"


@pytest.fixture
def ada(office: Office) -> Office:
    office.agent("ada")
    office.agent("bob")
    office.wake("ada")
    office.rows("select office.dispatch('acme')")
    return office


@pytest.mark.parametrize(
    "statement",
    [
        LATER,
        "update office.runs set status = 'cancelled'",
        "delete from office.runs where false",
        "update office.attempts set pid = 1",
        "delete from office.attempts where false",
    ],
)
def test_a_hand_waits_for_an_open_claim_two_seconds_at_most(ada: Office, statement: str) -> None:
    """A6: then 55P03, which means try again; the timeout of the session itself does not change."""
    worker = ada.worker()
    worker.conn.execute("begin")
    (launch,) = worker.claim(1)
    hand = ada.session(patient=True)
    began = time.monotonic()
    with Background(hand, statement) as other:
        wait_until_blocked(ada.watcher, other.pid, by=worker.conn.info.backend_pid)
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.rows()
    assert time.monotonic() - began < 5
    assert hand.execute("show lock_timeout").fetchone() == {"lock_timeout": "0"}
    worker.conn.execute("commit")
    worker.finish(launch)
    ada.settle()


def test_a_hand_goes_on_when_the_claim_has_ended(ada: Office) -> None:
    """A6: within the two seconds it waits, and then changes what is so by then."""
    worker = ada.worker()
    worker.conn.execute("begin")
    (launch,) = worker.claim(1)
    hand = ada.session(patient=True)
    with Background(
        hand, "update office.runs set status = 'stopping' where status = 'claimed' returning id"
    ) as other:
        wait_until_blocked(ada.watcher, other.pid, by=worker.conn.info.backend_pid)
        worker.conn.execute("commit")
        other.wait()
    assert worker.finish(launch)["status"] in ("finished", "cancelled")
    ada.settle()


def test_a_claim_waits_for_an_open_hand(ada: Office) -> None:
    """A6: nobody claims meanwhile; afterwards the claim sees what was written, and finds what was freed."""
    hand = ada.session()
    hand.execute("begin")
    hand.execute("update office.runs set status = 'cancelled'")
    ada.wake("bob")
    worker = ada.worker(ada.session(patient=True))
    with Background(worker.conn, CLAIM, [worker.id]) as claim:
        wait_until_blocked(ada.watcher, claim.pid, by=hand.info.backend_pid)
        hand.execute("commit")
        launches = claim.rows()
    assert [launch["agent"] for launch in launches] == ["bob"]
    worker.finish(launches[0])
    ada.settle()


def test_people_do_not_wait_for_a_hand(ada: Office) -> None:
    """A6: a hand on the office's tables holds up neither wakes nor tasks; nothing of either is lost."""
    (before,) = ada.rows("select id, requested_at from office.runs")
    hand = ada.session()
    hand.execute("begin")
    hand.execute(LATER.encode())
    wakeup = ada.wake("bob")
    task = ada.task("Work", "ada")
    ada.rows("select office.move_task(%s, 'in_progress')", task)
    ada.rows("select office.add_comment(%s, 'Look.')", task)
    assert ada.value("select requested_at from office.runs") == before["requested_at"], "the hand is open"
    hand.execute("commit")
    ada.settle()
    assert ada.rows(
        "select requested_at - %s as later from office.runs where id = %s",
        before["requested_at"],
        before["id"],
    ) == [{"later": timedelta(hours=1)}]
    assert ada.rows("select outcome from office.result(%s)", str(wakeup)) == [{"outcome": "succeeded"}]
    assert ada.rows("select state from office.tasks") == [{"state": "in_progress"}]
    assert ada.rows("select body from office.comments") == [{"body": "Look."}]
    assert ada.rows(
        "select distinct a.name, r.result from office.runs as r join office.agents as a on a.id = r.agent_id"
        " where r.task_id is not null"
    ) == [{"name": "ada", "result": "succeeded"}]


def test_what_a_hand_made_claimable_is_claimed(ada: Office) -> None:
    """A1, A15: a retry by UPDATE leaves a signal, as retry_run does."""
    worker = ada.worker()
    (launch,) = worker.claim(10)
    worker.start(launch)
    worker.fail(launch)
    assert worker.claim(10) == [], "it waits for its retry"
    ada.rows(
        "update office.runs set scheduled_retry_at = null, parked = null, due_at = null where id = %s",
        launch["run_id"],
    )
    (again,) = worker.claim(10)
    assert again["run_id"] == launch["run_id"]
    worker.start(again)
    worker.fail(again, "configuration")
    assert worker.claim(10) == []
    ada.rows("update office.runs set status = 'queued' where id = %s", launch["run_id"])
    assert len(worker.claim(10)) == 1
    worker.drain()
    ada.settle()


def test_hands_and_claims_at_once(ada: Office) -> None:
    """A6: whoever comes first, the books are in order; a hand that gave up says so and nothing else."""
    ada.slots(8)
    for name in ada.agents(4, capacity=2):
        for n in range(10):
            ada.task(f"Task {n}", name)
    codes: set[str | None] = set()

    def by_hand(statement: str) -> None:
        session = ada.session(patient=True)
        for _ in range(20):
            try:
                session.execute(statement.encode())
            except psycopg.Error as error:
                codes.add(error.sqlstate)

    def claims() -> None:
        worker = ada.worker(ada.session(patient=True))
        for _ in range(40):
            for launch in worker.claim(4):
                try:
                    worker.start(launch)
                    worker.finish(launch)
                except psycopg.Error as error:
                    codes.add(error.sqlstate)

    cancel = """
        update office.runs set status = 'cancelled'
        where id = (
          select id from office.runs where status in ('queued', 'running') order by random() limit 1
        )
    """
    together(claims, claims, lambda: by_hand(LATER), lambda: by_hand(cancel))
    # A run that a hand has ended meanwhile is refused; a hand may meet a run that has ended meanwhile.
    assert codes <= {"55P03", "PT409"}
    ada.settle()
