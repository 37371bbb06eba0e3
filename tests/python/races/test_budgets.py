"""Budgets by real sessions: an event delivered twice at once, launches side by side, changes meanwhile."""

from __future__ import annotations

import json
import uuid
from decimal import Decimal
from typing import Any

from support.races import Background, wait_until_blocked
from support.sessions import open_session

from .conftest import Office, Row, Worker, together

COST = "select * from office.record_cost(%s, %s)"
CLAIM = "select * from office.claim_runs(%s, %s) where run_id is not null"
SPENT = "select spent_cents from office.budget_periods"


def event(cents: float, name: str | None = None) -> str:
    return json.dumps([{"usage_event_id": name or str(uuid.uuid4()), "cost_cents": cents}])


def budget(office: Office, ref: str, cents: int, **more: Any) -> None:
    office.rows(
        "select office.set_budget(%s, %s, run_estimate_cents => %s, action_on_exceed => %s)",
        ref,
        cents,
        more.get("estimate", 1),
        more.get("action", "pause_agent"),
    )


def test_one_event_from_two_sessions_counts_once(office: Office) -> None:
    """B1, A6: the second delivery waits for the first, finds it, and adds nothing."""
    office.agent("ann")
    budget(office, "acme/ann", 100)
    _, launch = office.running("ann")
    first, second = office.session(), office.session(patient=True)
    first.autocommit = False
    first.execute(COST, [launch["attempt_id"], event(5, "one")])
    with Background(second, COST, [launch["attempt_id"], event(5, "one")]) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.commit()
        assert other.rows()[0]["duplicate"] is True
    assert office.value(SPENT) == 5
    third = office.session()
    third.autocommit = False
    third.execute(COST, [launch["attempt_id"], event(7, "two")])
    third.rollback()
    assert office.rows(COST, launch["attempt_id"], event(7, "two"))[0]["duplicate"] is False
    assert office.value(SPENT) == 12, "one that was rolled back is taken when it comes again"


def test_totals_that_are_read_and_written_lose_some(office: Office) -> None:
    """K13: two sessions that read a total and write it back lose what one of them counted."""
    office.agent("ann")
    budget(office, "acme/ann", 100)
    office.rows("select office.dispatch()")
    sessions = [office.session(), office.session()]
    seen = [conn.execute(SPENT).fetchall()[0]["spent_cents"] for conn in sessions]
    for conn, before in zip(sessions, seen, strict=True):
        conn.execute("update office.budget_periods set spent_cents = %s", [before + 5])
    assert office.value(SPENT) == 5, "not 10"
    assert [row["invariant"] for row in office.audit()] == ["a budget's total is what the ledger has"]
    office.rows("update office.budget_periods set spent_cents = 0")


def test_the_same_events_from_many_sessions(office: Office) -> None:
    """B1, sc-X7: eight sessions deliver the same forty events in an order of their own: each counts once."""
    office.agent("ann")
    budget(office, "acme/ann", 1000)
    budget(office, "workspace:acme", 1000)
    _, launch = office.running("ann")

    def deliver(number: int) -> None:
        conn = office.session(patient=True)
        for n in range(40):
            conn.execute(COST, [launch["attempt_id"], event(0.1, f"event {(n * 7 + number * 11) % 40}")])

    together(*[lambda number=number: deliver(number) for number in range(8)])
    assert [row["spent_cents"] for row in office.rows(SPENT)] == [Decimal("4.000000")] * 2


def test_launches_side_by_side_do_not_pass_the_budget(office: Office) -> None:
    """B2, K12: eight claimers, sixteen agents, room for five runs: five spend, and nobody is lost."""
    agents = office.agents(16)
    office.slots(8)
    budget(office, "workspace:acme", 50, estimate=10, action="block_new_tasks")
    for agent in agents:
        office.wake(agent)
    done: list[Row] = []

    def drain(worker: Worker) -> None:
        while office_left() > 0:
            for launch in worker.conn.execute(CLAIM, [worker.id, 2]).fetchall():
                worker.start(launch)
                worker.conn.execute(COST, [launch["attempt_id"], event(10)])
                worker.finish(launch)
                done.append(launch)

    def office_left() -> int:
        conn = office.session()
        row = conn.execute("select count(*) as n from office.runs where ended_at is null").fetchone()
        conn.close()
        assert row is not None
        return int(row["n"])

    office.rows("select office.dispatch()")
    workers = [office.worker(office.session(patient=True)) for _ in range(8)]
    together(*[lambda worker=worker: drain(worker) for worker in workers])
    assert len(done) == 5
    assert office.value(SPENT) == 50
    results = office.rows("select result, count(*) as n from office.runs group by 1 order by 1")
    assert {row["result"]: row["n"] for row in results} == {"succeeded": 5, "budget_blocked": 11}


def test_a_cost_and_a_claim_agree(office: Office) -> None:
    """K12, Q13.6: a claim that comes while the last cent is spent waits for it, and launches nothing."""
    office.agent("ann", capacity=2)
    budget(office, "acme/ann", 10)
    _, launch = office.running("ann")
    office.rows(
        "select office.wake('ann', 'message', %s)",
        json.dumps({"session_id": open_session(office.watcher, "ann"), "text": "x"}),
    )
    spending = office.session()
    spending.autocommit = False
    spending.execute(COST, [launch["attempt_id"], event(10)])
    worker = office.worker(office.session(patient=True))
    with Background(worker.conn, CLAIM, [worker.id, 5]) as claim:
        wait_until_blocked(office.watcher, claim.pid, by=spending.info.backend_pid)
        spending.commit()
        assert claim.rows() == []
    office.rows("select office.carry_out()")
    assert office.value("select paused_by from office.agents") == "budget"


def test_a_budget_that_is_set_while_a_claim_is_under_way(office: Office) -> None:
    """K12, A6: setting one waits for nobody and nobody for it; what was claimed before it is before it."""
    office.agent("ann")
    budget(office, "workspace:acme", 100)
    office.wake("ann")
    claiming, setting = office.session(), office.session()
    claiming.autocommit = setting.autocommit = False
    worker = office.worker()
    setting.execute("select office.set_budget('workspace:acme', 0)")
    assert len(claiming.execute(CLAIM, [worker.id, 5]).fetchall()) == 1, "not committed: it is not so yet"
    setting.commit()
    claiming.commit()
    office.rows("select office.dispatch()")
    office.rows("select office.carry_out()")
    assert office.value("select paused_by from office.agents") == "budget"


def test_a_person_holds_the_agents_row_while_its_budget_pauses_it(office: Office) -> None:
    """A6: neither the cost nor the lane waits for the agent's row; the row follows when it is free."""
    office.agent("ann")
    budget(office, "acme/ann", 10)
    _, launch = office.running("ann")
    person = office.session()
    person.autocommit = False
    person.execute("update office.agents set instructions = 'be careful'")
    office.rows(COST, launch["attempt_id"], event(10))
    office.rows("select office.carry_out()")
    assert office.value("select status from office.agents") == "active"
    assert office.worker().claim(5) == []
    person.commit()
    office.rows("select office.carry_out()")
    assert office.value("select paused_by from office.agents") == "budget"


def test_a_pause_and_its_end_are_carried_out_in_their_order(office: Office) -> None:
    """B1, A6: two sessions carry out at once: who was let go again stays so."""
    office.agent("ann")
    budget(office, "acme/ann", 10)
    _, launch = office.running("ann")
    office.rows(COST, launch["attempt_id"], event(10))
    office.rows("select office.set_budget('acme/ann', 100)")
    office.rows("select office.dispatch()")
    assert office.value("select count(*) from office_internal.changes where kind = 'pause_agent'") == 2
    first, second = office.session(), office.session()
    first.autocommit = False
    first.execute("select office.carry_out(1)")
    second.execute("select office.carry_out()")
    first.commit()
    second.execute("select office.carry_out()")
    office.rows("select office.dispatch()")
    assert office.value("select status from office.agents") == "active"
    assert office.value("select open from office_internal.lanes")
