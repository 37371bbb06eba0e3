"""K12: wake against wake with one key (Q3, sc-W6); and wakes in long and broken transactions (Q1, sc-W7)."""

from __future__ import annotations

from functools import partial
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb
from support.races import Background, wait_until_blocked

from .conftest import Office, Row, together

WAKE = "select * from office.wake('ada', idempotency_key => %s, workspace => 'acme')"


@pytest.fixture
def ada(office: Office) -> Office:
    office.agent("ada")
    office.agent("bob")
    office.settle()
    return office


def wakeups(office: Office) -> list[Any]:
    return [row["id"] for row in office.rows("select id from office.wakeups")]


def test_the_second_request_returns_the_first(ada: Office) -> None:
    """sc-W6: one after the other, and no signal for the second."""
    first = ada.owner.execute(WAKE, ["k"]).fetchone()
    signals = ada.rows("select id from office_internal.signals")
    second = ada.owner.execute(WAKE, ["k"]).fetchone()
    assert first is not None
    assert second == {"wakeup_id": first["wakeup_id"], "duplicate": True}
    assert wakeups(ada) == [first["wakeup_id"]]
    assert ada.rows("select id from office_internal.signals") == signals
    ada.settle()


def test_the_winner_commits(ada: Office) -> None:
    """K12 wake/wake, sc-W6: two sessions at once; the loser's transaction goes on and keeps its own work."""
    winner, loser = ada.session(), ada.session(patient=True)
    winner.execute("begin")
    won = winner.execute(WAKE, ["k"]).fetchone()
    assert won is not None
    loser.execute("begin")
    loser.execute("select office.create_task('Kept', workspace => 'acme')")
    with Background(loser, WAKE, ["k"]) as other:
        wait_until_blocked(ada.watcher, other.pid, by=winner.info.backend_pid)
        winner.execute("commit")
        assert other.rows() == [{"wakeup_id": won["wakeup_id"], "duplicate": True}]
    loser.execute("commit")
    assert wakeups(ada) == [won["wakeup_id"]]
    assert ada.value("select count(*) from office.tasks where title = 'Kept'") == 1
    ada.settle()


def test_the_winner_rolls_back(ada: Office) -> None:
    """K12 wake/wake, sc-W6, Q3: the loser's request is taken, with its signal."""
    winner, loser = ada.session(), ada.session(patient=True)
    winner.execute("begin")
    winner.execute(WAKE, ["k"])
    with Background(loser, WAKE, ["k"]) as other:
        wait_until_blocked(ada.watcher, other.pid, by=winner.info.backend_pid)
        winner.execute("rollback")
        (taken,) = other.rows()
    assert not taken["duplicate"]
    assert wakeups(ada) == [taken["wakeup_id"]]
    assert len(ada.worker().claim(10)) == 1
    ada.settle()


def test_looking_before_inserting_wakes_twice(ada: Office) -> None:
    """K13: the naive way, which looks for the key and then inserts, makes two or aborts one."""
    ada.owner.execute("create table public.naive (key text)")
    naive = "insert into public.naive select 'k' where not exists (select from public.naive where key = 'k')"
    first, second = ada.session(), ada.session()
    for session in (first, second):
        session.execute("begin")
        session.execute(naive.encode())
    for session in (first, second):
        session.execute("commit")
    assert ada.value("select count(*) from public.naive") == 2


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_above_read_committed_the_caller_tries_again(ada: Office, isolation: str) -> None:
    """Q3: a duplicate made meanwhile cannot be returned there: 40001, and the next try finds it."""
    loser = ada.session()
    loser.execute(f"begin isolation level {isolation}".encode())
    loser.execute("select count(*) from office.wakeups")
    won = ada.owner.execute(WAKE, ["k"]).fetchone()
    assert won is not None
    with pytest.raises(psycopg.errors.SerializationFailure):
        loser.execute(WAKE, ["k"])
    loser.execute("rollback")
    loser.execute(f"begin isolation level {isolation}".encode())
    assert loser.execute(WAKE, ["k"]).fetchone() == {"wakeup_id": won["wakeup_id"], "duplicate": True}
    loser.execute("commit")
    ada.settle()


def test_many_keys_in_any_order_never_deadlock(ada: Office) -> None:
    """Q3: wake_many inserts in key order, so that two that share keys wait for one another and no more."""
    answers: list[Row] = []
    keys = [f"k{n:02}" for n in range(40)]

    def wake(session: psycopg.Connection[Any], turn: list[str]) -> None:
        for _ in range(5):
            requests = Jsonb([{"agent": "acme/ada", "idempotency_key": key} for key in turn])
            answers.extend(session.execute("select * from office.wake_many(%s)", [requests]).fetchall())

    orders = [keys, keys[::-1], keys[20:] + keys[:20], keys[::2] + keys[1::2]]
    together(*[partial(wake, ada.session(patient=True), order) for order in orders])
    assert sum(not answer["duplicate"] for answer in answers) == len(keys)
    assert len(wakeups(ada)) == len(keys)
    ada.settle()


def test_a_wake_that_rolls_back_leaves_nothing(ada: Office) -> None:
    """sc-W7, Q1: neither wakeup nor signal nor run."""
    person = ada.session()
    with person.transaction(force_rollback=True):
        person.execute(WAKE, ["k"])
    assert wakeups(ada) == []
    assert ada.worker().claim(10) == []
    assert ada.value("select count(*) from office.runs") == 0


def test_a_wake_left_open_holds_up_nobody(ada: Office) -> None:
    """sc-W7, A15: others are woken and claimed meanwhile, however many; it is dispatched once it commits."""
    person = ada.session()
    person.execute("begin")
    mine = person.execute(WAKE, ["k"]).fetchone()
    assert mine is not None
    worker = ada.worker()
    for _ in range(200):
        ada.wake("bob")
        (launch,) = worker.claim(10)
        assert launch["agent"] == "bob"
        worker.finish(launch)
    person.execute("commit")
    (late,) = worker.claim(10)
    assert late["agent"] == "ada"
    assert ada.value("select run_id from office.wakeups where id = %s", mine["wakeup_id"]) == late["run_id"]
    worker.finish(late)
    ada.settle()


def test_the_mark_never_passes_an_open_transaction(ada: Office) -> None:
    """A15: signals are read from a low-water mark on; it moves, but not past what may still commit."""
    mark = "select last_value from office_internal.signal_mark"
    worker = ada.worker()
    person = ada.session()
    person.execute("begin")
    xid = person.execute("select pg_current_xact_id()::text::bigint as xid").fetchone()
    assert xid is not None
    person.execute(WAKE, ["k"])
    for _ in range(60):
        ada.wake("bob")
        for launch in worker.claim(10):
            worker.finish(launch)
    assert ada.value(mark) <= xid["xid"]
    person.execute("commit")
    for _ in range(60):
        for launch in worker.claim(10):
            worker.finish(launch)
        ada.wake("bob")
    assert ada.value(mark) > xid["xid"], "it moves on when nobody is left behind it"
    ada.settle()


def test_a_mark_of_another_life_is_not_believed(ada: Office) -> None:
    """A15: above the snapshot's own (a restored dump) it counts as 0."""
    ada.rows("select setval('office_internal.signal_mark', 9000000000000000)")
    ada.wake("ada")
    assert len(ada.worker().claim(10)) == 1
    ada.settle()
