"""K12: claim against claim, wake, dispatch, drain, reassignment and pause. sc-W9"""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import pytest
from support.races import Background, wait_until_blocked

from .conftest import Connection, Office, Worker, together

CLAIMERS = 16
LIMIT = 3
CLAIM = "select * from office.claim_runs(%s, 10) where run_id is not null"


class Counted:
    """Counts what is claimed and not given back, as the claimers see it: never more than there is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.held: Counter[str] = Counter()
        self.most = 0
        self.runs: Counter[Any] = Counter()

    def take(self, agent: str, run: object) -> None:
        with self._lock:
            self.held[agent] += 1
            self.runs[run] += 1
            self.most = max(self.most, self.held.total())
            assert self.held[agent] <= 2

    def give(self, agent: str) -> None:
        with self._lock:
            self.held[agent] -= 1


def test_sixteen_claimers_never_pass_the_limit(office: Office) -> None:
    """S1, Q11, sc-W9: 16 claimers, limit 3: never 4 active, no agent over its capacity, each run once."""
    office.slots(LIMIT)
    agents = office.agents(4, capacity=2)
    runs = 60
    for n in range(runs):
        office.task(f"Task {n}", agents[n % len(agents)])
    counted = Counted()

    def claim_and_finish(worker: Worker) -> None:
        while len(counted.runs) < runs:
            for launch in worker.claim(2):
                # From after the claim until before the end: what is counted is active.
                counted.take(launch["agent"], launch["run_id"])
                worker.start(launch)
                counted.give(launch["agent"])
                worker.finish(launch)

    workers = [office.worker(office.session(patient=True)) for _ in range(CLAIMERS)]
    together(*[lambda worker=worker: claim_and_finish(worker) for worker in workers])
    assert counted.most <= LIMIT
    assert set(counted.runs.values()) == {1}
    assert len(counted.runs) == runs
    assert most_at_once(office, "workspace_id") == LIMIT, "the limit was reached, and never passed"
    assert most_at_once(office, "agent_id") <= 2


def most_at_once(office: Office, per: str) -> int:
    """The most attempts that were live at one instant, by the times that were read under the gate (K9)."""
    return int(
        office.value(
            f"""
            select max(live) from (
              select sum(change) over (partition by {per} order by at, change) as live
              from (
                select r.{per}, a.claimed_at as at, 1 as change
                from office.attempts as a join office.runs as r on r.id = a.run_id
                union all
                select r.{per}, a.ended_at, -1
                from office.attempts as a join office.runs as r on r.id = a.run_id
                where a.ended_at is not null
              ) as changes
            ) as swept
            """
        )
    )


def test_counting_before_claiming_overshoots(office: Office) -> None:
    """K13: the naive claim, which counts and then claims, goes over the limit that the gate keeps."""
    office.slots(LIMIT)
    for agent in office.agents(8):
        office.wake(agent)
    office.rows("select office.dispatch('acme')")
    office.owner.execute(
        """
        create table public.naive as
        select id, false as claimed from office.runs;
        create function public.naive_claim(slots integer) returns setof uuid language sql as $$
          update public.naive
          set claimed = true
          where id = any(array(
              select id from public.naive where not claimed order by id limit 1 for no key update skip locked
            ))
            and (select count(*) from public.naive where claimed) < slots
          returning id
        $$
        """
    )
    sessions = [office.session() for _ in range(LIMIT + 2)]
    for session in sessions:
        session.execute("begin")
        assert session.execute("select public.naive_claim(%s)", [LIMIT]).rowcount == 1
    for session in sessions:
        session.execute("commit")
    assert office.value("select count(*) from public.naive where claimed") > LIMIT
    # The same interleaving with the gate: each open claim makes the next one wait, and the limit holds.
    claimed = 0
    for _ in sessions:
        claimed += len(office.worker().claim(1))
    assert claimed == LIMIT
    office.settle()


def test_an_open_claim_makes_the_next_wait_and_count_it(office: Office) -> None:
    """K12 claim/claim, S1: the second counts what the first has claimed, not what its own snapshot showed."""
    office.slots(1)
    for agent in office.agents(2):
        office.wake(agent)
    first, second = office.worker(), office.worker(office.session(patient=True))
    first.conn.execute("begin")
    assert len(first.claim(1)) == 1
    with Background(second.conn, CLAIM, [second.id]) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.conn.info.backend_pid)
        first.conn.execute("commit")
        assert other.rows() == []
    office.settle()


def test_two_claimers_one_run(office: Office) -> None:
    """K12 claim/claim, sc-W9: one gets it; and the other does, when the first rolls back."""
    office.agent("ada")
    office.wake("ada")
    first, second = office.worker(), office.worker(office.session(patient=True))
    for end, left in (("rollback", 1), ("commit", 0)):
        first.conn.execute("begin")
        assert len(first.claim(1)) == 1
        with Background(second.conn, CLAIM, [second.id]) as other:
            wait_until_blocked(office.watcher, other.pid, by=first.conn.info.backend_pid)
            first.conn.execute(end.encode())
            launches = other.rows()
        assert len(launches) == left
        for launch in launches:
            second.finish(launch)
            office.wake("ada")
    office.settle()


def test_one_claim_at_most_stands_in_line_for_a_gate(office: Office) -> None:
    """K6, Q11: the others say when to ask again; whoever ends a run there waits behind one claim, not all."""
    office.agent("ada")
    office.wake("ada")
    first, second, third = (office.worker(office.session(patient=True)) for _ in range(3))
    first.conn.execute("begin")
    first.claim(1)
    with Background(second.conn, CLAIM, [second.id]) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.conn.info.backend_pid)
        third.conn.execute("set lock_timeout = '1ms'")  # it does not wait, or it is refused
        (answer,) = third.conn.execute("select * from office.claim_runs(%s, 10)", [third.id]).fetchall()
        assert answer["run_id"] is None
        moment = office.value("select clock_timestamp() + interval '50 milliseconds'")
        assert answer["next_due_at"] <= moment, "to be asked again in a moment"
        first.conn.execute("rollback")
        (launch,) = other.rows()
    second.finish(launch)
    office.settle()


def test_workspaces_are_claimed_in_parallel(office: Office) -> None:
    """S1, Q11: a gate that somebody holds, with a long backlog behind it, holds up no other workspace."""
    office.rows("select office.create_workspace('other')")
    office.agent("ada")
    office.agent("bob", workspace="other")
    office.settle()
    holder = office.session()
    for _ in range(200):
        office.wake("ada")
    holder.execute("begin")
    holder.execute(
        "select office_internal.take_gates(array(select id from office.workspaces where name = 'acme'))"
    )
    office.rows("select office.wake('bob', workspace => 'other')")
    (launch,) = office.worker().claim(1)
    assert launch["agent"] == "bob"
    assert office.rows("select from office.up_next"), "ada's wakes are still behind the gate"
    holder.execute("rollback")
    office.settle()


def test_wakes_and_claims_at_once_lose_nothing(office: Office) -> None:
    """K12 claim/wake, Q5, Q8: whatever a wake met, a prompt shows it in the end, and once."""
    office.slots(8)
    agents = office.agents(3)
    done = threading.Event()

    def wake(conn: Connection, agent: str) -> None:
        for n in range(40):
            conn.execute(
                "select office.wake(%s, payload => %s, workspace => 'acme')", [agent, f'{{"context": {n}}}']
            )

    def claim(worker: Worker) -> None:
        while not done.is_set():
            for launch in worker.claim(4):
                worker.start(launch)
                worker.finish(launch)

    def wake_all() -> None:
        together(*[lambda agent=agent: wake(office.session(), agent) for agent in agents for _ in range(2)])
        done.set()

    workers = [office.worker(office.session(patient=True)) for _ in range(3)]
    together(wake_all, *[lambda worker=worker: claim(worker) for worker in workers])
    office.settle()
    assert all_wakeups_shown(office) == len(agents) * 2 * 40


def all_wakeups_shown(office: Office) -> int:
    """How many wakeups there are, each of them shown by the prompt of the run that carries it."""
    shown = office.rows(
        """
        select w.status, w.position <= a.shown_wakeups as shown, count(*) as n
        from office.wakeups as w
        left join office.runs as r on r.id = w.run_id
        left join office.attempts as a on a.id = r.attempt_id
        group by 1, 2
        """
    )
    assert {(row["status"], row["shown"]) for row in shown} <= {("finished", True), ("coalesced", True)}
    return sum(row["n"] for row in shown)


def test_a_wake_during_an_open_claim_is_heard_of(office: Office) -> None:
    """Q4, Q5: dispatch and claim exclude each other; what came after the prompt makes a follow-up run."""
    office.agent("ada")
    office.wake("ada")
    worker = office.worker()
    worker.conn.execute("begin")
    (first,) = worker.claim(1)
    late = office.wake("ada")
    worker.conn.execute("commit")
    worker.start(first)
    assert office.value("select office.dispatch('acme')") == 1
    assert office.value("select run_id from office.wakeups where id = %s", late) == first["run_id"]
    worker.finish(first)
    (second,) = worker.claim(1)
    assert office.value("select run_id from office.wakeups where id = %s", late) == second["run_id"]
    worker.finish(second)
    office.settle()


def test_two_dispatches_of_one_workspace(office: Office) -> None:
    """K12 dispatch/dispatch: the second finds nothing left; without a name it does not even wait."""
    office.agent("ada")
    wakeup = office.wake("ada")
    first, second = office.session(), office.session(patient=True)
    first.execute("begin")
    assert first.execute("select office.dispatch('acme') as n").fetchone() == {"n": 2}, "the agent, its wake"
    assert office.value("select office.dispatch()") == 0
    with Background(second, "select office.dispatch('acme') as n") as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        assert other.rows() == [{"n": 0}]
    assert office.value("select count(*) from office.runs") == 1
    assert office.value("select status from office.wakeups where id = %s", wakeup) == "claimed"
    office.settle()


def test_a_dispatch_that_rolls_back_is_done_by_the_next(office: Office) -> None:
    """K12 dispatch/dispatch, Q8."""
    office.agent("ada")
    office.wake("ada")
    first, second = office.session(), office.session(patient=True)
    first.execute("begin")
    first.execute("select office.dispatch('acme')")
    with Background(second, "select office.dispatch('acme') as n") as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.execute("rollback")
        assert other.rows() == [{"n": 2}]
    assert office.value("select count(*) from office.runs") == 1
    office.settle()


@pytest.mark.parametrize("ending", ["drain_worker", "expire_worker"])
def test_a_worker_that_ends_keeps_no_run(office: Office, ending: str) -> None:
    """K12 drain/claim, P3: a claim under way while its worker is ended leaves no run that nobody settles."""
    for agent in office.agents(2):
        office.wake(agent)
    worker = office.worker()
    other_session = office.session(patient=True)
    worker.conn.execute("begin")
    (launch,) = worker.claim(1)
    with Background(other_session, f"select office.{ending}(%s) as n", [worker.id]) as other:
        wait_until_blocked(office.watcher, other.pid, by=worker.conn.info.backend_pid)
        worker.conn.execute("commit")
        assert other.rows() == [{"n": 1}]
    assert office.run(launch)["status"] == "queued"
    assert office.audit() == []
    with pytest.raises(Exception, match="worker ended"):
        worker.claim(1)
    office.settle()


def test_a_claim_that_meets_the_end_of_its_worker_claims_nothing(office: Office) -> None:
    """K12 drain/claim the other way round: the claim waits for the end under way, then is refused."""
    office.agent("ada")
    office.wake("ada")
    worker = office.worker(office.session(patient=True))
    ending = office.session()
    ending.execute("begin")
    ending.execute("select office.drain_worker(%s)", [worker.id])
    with Background(worker.conn, CLAIM, [worker.id]) as claim:
        wait_until_blocked(office.watcher, claim.pid, by=ending.info.backend_pid)
        ending.execute("commit")
        with pytest.raises(Exception, match="worker ended"):
            claim.rows()
    assert office.audit() == []
    office.settle()


def test_reassigned_while_a_claim_is_open(office: Office) -> None:
    """K12 reassign/claim, Q13, T6: the old assignee's launch is stopped, the new one's comes after it."""
    office.agent("ada")
    office.agent("bob")
    task = office.task("Work", "ada")
    worker = office.worker()
    worker.conn.execute("begin")
    (launch,) = worker.claim(1)
    office.rows("select office.assign_task(%s, 'bob')", task)
    worker.conn.execute("commit")
    assert worker.claim(10) == [], "ada's run holds the task until it has stopped"
    assert office.run(launch)["status"] == "stopping"
    assert worker.start(launch) == "stopping"
    assert worker.finish(launch)["status"] == "cancelled"
    (after,) = worker.claim(10)
    assert (after["agent"], after["task"]) == ("bob", task)
    worker.finish(after)
    office.settle()


def test_claimed_while_a_reassignment_is_open(office: Office) -> None:
    """K12 reassign/claim: what is not committed is not so; once it is, the old assignee gets no more."""
    office.agent("ada")
    office.agent("bob")
    tasks = [office.task("Work", "ada"), office.task("More", "ada")]
    person = office.session()
    person.execute("begin")
    for task in tasks:
        person.execute("select office.assign_task(%s, 'bob')", [task])
    worker = office.worker()
    (launch,) = worker.claim(10)
    assert launch["agent"] == "ada"
    person.execute("commit")
    launches = worker.claim(10)
    assert [(one["agent"], one["task"]) for one in launches] == [("bob", tasks[1])]
    cancelled = office.rows("select cancel_reason from office.runs where status = 'cancelled'")
    assert cancelled == [{"cancel_reason": "assignee_changed"}]
    for one in [launch, *launches]:
        worker.finish(one)
    office.settle()


@pytest.mark.parametrize("pause", ["before the claim", "while the claim is open", "while it is open itself"])
def test_paused_by_update(office: Office, pause: str) -> None:
    """K12 pause/claim, A6, Q13.2: the claim reads agent and lane; a committed pause holds from then on."""
    office.agent("ada", capacity=2)
    pausing = "update office.agents set status = 'paused' where name = 'ada'"
    for title in ("One", "Two"):
        office.task(title, "ada")
    # The lane says that she is active: only her row knows better.
    office.rows("select office.dispatch('acme')")
    worker, person = office.worker(), office.session()
    if pause == "before the claim":
        person.execute(pausing.encode())
        assert worker.claim(10) == []
    elif pause == "while the claim is open":
        worker.conn.execute("begin")
        launches = worker.claim(1)
        person.execute(pausing.encode())
        worker.conn.execute("commit")
        assert len(launches) == 1
        assert worker.claim(10) == []
    else:
        person.execute("begin")
        person.execute(pausing.encode())
        assert len(worker.claim(1)) == 1
        person.execute("commit")
        assert worker.claim(10) == []
    waiting = office.value("select count(*) from office.runs where status = 'queued'")
    assert waiting == (2 if pause == "before the claim" else 1)
    person.execute("update office.agents set status = 'active' where name = 'ada'")
    assert len(worker.claim(10)) == waiting
    worker.drain()
    office.settle()


def test_two_last_blockers_finished_in_two_sessions(office: Office) -> None:
    """K12 blocker/blocker, A6, Q3: two signals, one wake, whoever commits last."""
    office.agent("ada")
    office.agent("bob", capacity=2)
    blockers = [office.task("One", "bob"), office.task("Two", "bob")]
    task = office.task("Then", "ada", blocked_by=blockers)
    office.settle()
    first, second = office.session(), office.session()
    for session, blocker in zip((first, second), blockers, strict=True):
        session.execute("begin")
        session.execute("select office.move_task(%s, 'done')", [blocker])
    second.execute("commit")
    office.rows("select office.dispatch('acme')")
    assert resolved(office, task) == 0, "the other is not finished yet"
    first.execute("commit")
    office.rows("select office.dispatch('acme')")
    assert resolved(office, task) == 1
    office.rows("select office.dispatch('acme')")
    assert resolved(office, task) == 1
    office.settle()


def test_two_last_blockers_seen_together(office: Office) -> None:
    """K12 blocker/blocker: both ends in one dispatch, or in two that race: one wake."""
    office.agent("ada")
    office.agent("bob", capacity=2)
    blockers = [office.task("One", "bob"), office.task("Two", "bob")]
    task = office.task("Then", "ada", blocked_by=blockers)
    office.settle()
    sessions = [office.session(patient=True), office.session(patient=True)]

    def finish(session: Connection, blocker: str) -> None:
        session.execute("select office.move_task(%s, 'done')", [blocker])
        session.execute("select office.dispatch('acme')")

    together(*[lambda s=s, b=b: finish(s, b) for s, b in zip(sessions, blockers, strict=True)])
    office.rows("select office.dispatch('acme')")
    assert resolved(office, task) == 1
    office.settle()


def resolved(office: Office, task: str) -> int:
    return int(
        office.value(
            """
            select count(*) from office.wakeups as w join office.tasks as t on t.id = w.task_id
            where w.source = 'task_blockers_resolved' and 't' || t.number = %s
            """,
            task,
        )
    )


def test_a_claim_that_rolls_back_hides_no_signal(session: Connection) -> None:
    """A15, Q8: the mark is not rolled back, and never passes a signal that comes back."""
    session.execute("select office.create_agent('ann', executor => '{\"command\": [\"/bin/true\"]}')")
    row = session.execute("select worker_id from office.register_worker('box')").fetchone()
    assert row
    session.execute("select office.claim_runs(%s)", row)
    session.execute("select office.wake('ann')")
    for _ in range(60):
        session.execute("select pg_current_xact_id()")
    with session.transaction(force_rollback=True):
        session.execute("select office.dispatch()")
        session.execute("select office.claim_runs(%s)", row)
    launched = session.execute("select * from office.claim_runs(%s) where run_id is not null", row)
    assert len(launched.fetchall()) == 1
