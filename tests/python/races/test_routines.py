"""K12, R9, R20: ticks against ticks, against people, and killed at any moment. sc-R1, sc-R3, sc-R8."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest
from support.races import Background, wait_until_blocked

from .conftest import Connection, Office
from .test_killed_backends import killed_at_random

ROUTINES = 12
TICK = "select fired, failed from office.tick()"

MAKE_DUE = """
update office.routine_triggers set next_run_at = date_trunc('minute', office.now())
"""

NAIVE = """
create function tick_naively() returns integer language plpgsql as $$
declare
  v_due uuid[] := array(select t.id from office.routine_triggers as t where t.next_run_at <= office.now());
begin
  perform pg_advisory_xact_lock_shared(42);
  insert into fired_naively select unnest(v_due);
  update office.routine_triggers as t
  set next_run_at = t.next_run_at + interval '1 day'
  where t.id = any(v_due);
  return cardinality(v_due);
end
$$
"""


@pytest.fixture
def routines(office: Office) -> Office:
    """Routines whose slot of this minute is due."""
    office.agent("ada")
    for n in range(ROUTINES):
        office.rows("select office.create_routine(%s, 'acme/ada', 'Look.')", f"r{n}")
        office.rows("select office.add_schedule(%s, '* * * * *')", f"r{n}")
    office.settle()
    office.rows(MAKE_DUE)
    return office


def fires(office: Office) -> list[Any]:
    """How often each slot fired."""
    counted = office.rows("select count(*) as n from office.routine_runs group by trigger_id, slot")
    return [row["n"] for row in counted]


def test_two_ticks_fire_once(routines: Office) -> None:
    """K12 tick/tick, sc-R1: another passes by what one has taken, and does not wait."""
    first, second = routines.session(), routines.session()
    first.execute("begin")
    assert first.execute(TICK).fetchone() == {"fired": ROUTINES, "failed": 0}
    assert second.execute(TICK).fetchone() == {"fired": 0, "failed": 0}
    first.execute("commit")
    assert second.execute(TICK).fetchone() == {"fired": 0, "failed": 0}
    assert fires(routines) == [1] * ROUTINES
    assert routines.audit() == []


def test_many_ticks_fire_once(routines: Office) -> None:
    """sc-R1, R9: from many sessions at the same moment."""
    fired = []

    def work(session: Connection) -> None:
        row = session.execute(TICK).fetchone()
        assert row is not None
        fired.append(row["fired"])

    threads = [threading.Thread(target=work, args=[routines.session()]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(fired) == ROUTINES
    assert fires(routines) == [1] * ROUTINES
    assert routines.audit() == []


def test_a_naive_tick_fires_twice(routines: Office) -> None:
    """K13: what reads the due ones, fires and moves the cursors, without locks, fires twice."""
    routines.rows("create table fired_naively (trigger_id uuid)")
    routines.rows(NAIVE)
    gate, first, second = routines.session(), routines.session(patient=True), routines.session(patient=True)
    gate.execute("begin")
    gate.execute("select pg_advisory_xact_lock(42)")
    ask = "select tick_naively()"
    with Background(first, ask) as one, Background(second, ask) as other:
        for waiting in (one, other):
            wait_until_blocked(routines.watcher, waiting.pid, by=gate.info.backend_pid)
        gate.execute("commit")
        one.wait()
        other.wait()
    assert routines.value("select count(*) from fired_naively") == 2 * ROUTINES


def test_a_person_holds_up_only_his_own(routines: Office) -> None:
    """R9, A6: a routine or a trigger in an open transaction stays due; the others fire, and nothing waits."""
    person = routines.session()
    person.execute("begin")
    person.execute("select office.update_routine('r0', '{\"description\": \"Another.\"}')")
    person.execute("update office.routine_triggers set timezone = 'UTC' where routine_id = %s",
        [routines.value("select id from office.routines where name = 'r1'")])  # fmt: skip
    assert routines.rows(TICK) == [{"fired": ROUTINES - 2, "failed": 0}]
    person.execute("rollback")
    assert routines.rows(TICK) == [{"fired": 2, "failed": 0}]
    assert routines.audit() == []


def test_one_key_from_two_sessions(routines: Office) -> None:
    """R18, sc-R8: the second call with a key waits for the first, and is told of its fire."""
    public_id = routines.value("select public_id from office.add_webhook('r0', 'none')")
    ask = """select status, answer from office.fire_webhook(%s, '{"Idempotency-Key": "k"}', '')"""
    first, second = routines.session(), routines.session(patient=True)
    first.execute("begin")
    answer = first.execute(ask, [public_id]).fetchone()
    with Background(second, ask, [public_id]) as other:
        wait_until_blocked(routines.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        (told,) = other.rows()
    assert answer is not None
    assert (answer["status"], told["status"]) == (202, 200)
    assert answer["answer"] == told["answer"]


def test_two_hands_look_one_after_the_other(routines: Office) -> None:
    """R14: two fires at once of a routine that skips: the second sees the first."""
    routines.rows("select office.update_routine('r0', '{\"concurrency_policy\": \"skip_if_active\"}')")
    ask = "select status from office.fire_routine('r0')"
    first, second = routines.session(), routines.session(patient=True)
    first.execute("begin")
    assert first.execute(ask).fetchone() == {"status": "received"}
    with Background(second, ask) as other:
        wait_until_blocked(routines.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        assert other.rows() == [{"status": "skipped"}]


def test_a_killed_tick_fires_all_the_same(routines: Office) -> None:
    """sc-R3, R20: killed at any moment: each slot has fired once in the end, each trigger is armed."""
    seed = random.randrange(10**6)
    dice = random.Random(seed)
    slot = routines.value("select min(next_run_at) from office.routine_triggers")
    hits = 0
    for _ in range(30):
        hits += killed_at_random(routines, lambda session: session.execute(TICK), dice)
        assert routines.audit() == [], f"seed {seed}"
        done = routines.value("select count(*) from office.routine_runs where slot = %s", slot)
        assert done in (0, ROUTINES), f"seed {seed}: nothing or the whole"
        if done:
            slot = routines.value("select %s::timestamptz - interval '1 minute'", slot)
            routines.rows("update office.routine_triggers set next_run_at = %s", slot)
    routines.rows(TICK)
    assert fires(routines) == [1] * len(fires(routines)), f"seed {seed}"
    armed = "select count(*) from office.routine_triggers where next_run_at > office.now()"
    assert routines.value(armed) == ROUTINES, f"seed {seed}"
    assert hits > 0, f"seed {seed}: no kill hit"
    routines.settle()
    assert routines.audit() == []
