"""K10: the office does what a plain reference in Python does, whatever is done to it in whatever order.

Hypothesis makes up a story of people, agents' programs, workers and time. Each step is done to the deployed
database and to model/reference.py, and then both must say the same: of every run its status, result, class,
reason and wakeups in order; of every wakeup its status and reason; what a claim returned; who waits and why;
and office.audit() finds nothing. At the end of a story everything that holds is lifted, and the office must
come to rest with nothing left. OFFICE_MODEL_EXAMPLES=5000 makes it a soak.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, cast

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, currently_in_test_context, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from support.clock import install_test_clock
from support.sessions import open_session

from model.reference import LIVE, Agent, Office, Run, Task, Wakeup, Worker

Connection = psycopg.Connection[Any]
Item = TypeVar("Item")

EXAMPLES = int(os.environ.get("OFFICE_MODEL_EXAMPLES", "40"))
STEPS = 40
START = datetime(2030, 1, 7, 10, 0, tzinfo=UTC)
# Name, capacity, cooldown, role.
AGENTS = (("ann", 2, 0, "worker"), ("bob", 1, 10, "worker"), ("cid", 3, 0, "coordinator"))
ROUTINES = {"one": "a0000000-0000-4000-8000-000000000001", "two": "a0000000-0000-4000-8000-000000000002"}
ID = "a0000000-0000-4000-8000-000000000003"
# Requests: source, and the payload but for the task.
TASKLESS: dict[str, tuple[str, dict[str, object]]] = {
    "user": ("user", {}),
    "self": ("self", {"reason": "again"}),
    "tick of one": ("routine", {"routine_id": ROUTINES["one"]}),
    "tick of two": ("routine", {"routine_id": ROUTINES["two"], "fire": "cron"}),
    "hand fires one": ("routine", {"routine_id": ROUTINES["one"], "fire": "manual"}),
    "message": ("message", {"text": "hello"}),
}
ON_TASK: dict[str, tuple[str, dict[str, object]]] = {
    "user": ("user", {}),
    "assigned": ("task_assigned", {}),
    "children": ("task_children_completed", {}),
    "blockers": ("task_blockers_resolved", {"resolved_blocker_ids": []}),
    "comment": ("comment", {"comment_id": ID}),
    "review": ("review_requested", {"role": "reviewer", "round": 1}),
    "approval": ("review_requested", {"role": "approver", "round": 1}),
    "stage": ("queue_run", {"stage_id": ID}),
    "tick": ("routine", {"routine_id": ROUTINES["one"], "fire": "cron"}),
    "decided": ("approval_resolved", {"approval_id": ID, "status": "approved"}),
}
MOVES = {
    "proposed": ("todo", "cancelled"),
    "todo": ("in_progress", "cancelled", "done", "proposed"),
    "in_progress": ("blocked", "done", "todo", "cancelled"),
    "blocked": ("todo", "in_progress", "cancelled"),
    "done": ("todo",),
    "cancelled": ("todo", "proposed"),
}
HOUR = timedelta(hours=1)

# All that is compared, in one answer. A message is about no task of the reference's, but for its session's.
LOOK = """
select
  array(select to_jsonb(b) from office.audit() as b) as books,
  (
    select coalesce(jsonb_object_agg('t' || t.number, t.state), '{}') from office.tasks as t
    where t.title <> 'talk'
  ) as tasks,
  array(
    select jsonb_build_object(
      'id', w.id, 'source', w.source, 'class', w.class, 'status', w.status, 'reason', w.reason,
      'run', w.run_id, 'agent', a.name, 'task', nullif(t.title, 'talk'), 'addresses', w.addresses
    )
    from office.wakeups as w
    join office.agents as a on a.id = w.agent_id
    left join office.tasks as t on t.id = w.task_id
    order by w.run_id, w.position
  ) as wakeups,
  array(
    select jsonb_build_object(
      'id', r.id, 'status', r.status, 'result', r.result, 'class', r.class, 'reason', r.reason,
      'retry_count', r.retry_count, 'scheduled_retry_at', r.scheduled_retry_at,
      'requested_at', r.requested_at, 'stop_reason', r.stop_reason, 'coalesced_count', r.coalesced_count,
      'agent', a.name, 'task', nullif(t.title, 'talk'),
      'locks', t.title is distinct from 'talk' and exists (
        select from office.checkouts as c where c.checkout_run_id = r.id
      ),
      'attempts', array(select p.outcome from office.attempts as p where p.run_id = r.id order by p.number),
      'wakeups', array(select w.id from office.wakeups as w where w.run_id = r.id order by w.position),
      'waits', array(select w.reason from office.waiting_for(r.id) as w where not w.reason like any(%s))
    )
    from office.runs as r
    join office.agents as a on a.id = r.agent_id
    left join office.tasks as t on t.id = r.task_id
  ) as runs
"""
# A run that waits for these alone is not refused: others come first, or nobody works.
SOFT = ["others of % are before it", "no worker lives"]
# What the reference calls the reasons of waiting_for, by their words; the first that fits.
WORDS = {
    "its retry is due": "retry",
    "it gathers wakes": "window",
    "is snoozed": "snooze",
    "waits for": "blocker",
    "is locked by": "checkout",
    "workspace main is paused": "workspace paused",
    "everything is paused": "workspace paused",
    "is paused": "agent paused",
    "runs going": "capacity",
    "cools down": "cooldown",
    "every slot": "slots",
}
# A run's own: of these only one is told.
HOLDS = ["retry", "window", "snooze", "blocker", "checkout"]

nth = st.integers(0, 5)
agents = st.sampled_from([name for name, *_ in AGENTS])


def chosen(items: Sequence[Item], n: int) -> Item:
    return items[n % len(items)]


def tell(what: str) -> None:
    """A word in the story that hypothesis prints of a failure."""
    if currently_in_test_context():
        note(what)


def differences(row: dict[str, Any], **reference: object) -> dict[str, str]:
    """What the row says otherwise."""
    return {
        name: f"{row[name]}, and the reference {value}"
        for name, value in reference.items()
        if row[name] != value
    }


class OfficeMachine(RuleBasedStateMachine):
    """The same deeds, done to the database and to the reference."""

    def __init__(self, conn: Connection) -> None:
        super().__init__()
        self.conn = conn
        self.office = Office(START, [])
        self.tasks: dict[Task, str] = {}
        self.attempts: dict[str, str] = {}
        self.tokens: dict[str, str] = {}
        self.questions = 0
        self.agreed = False

    def sql(self, statement: str, *values: object) -> list[dict[str, Any]]:
        cursor = self.conn.execute(statement.encode(), values)
        return cursor.fetchall() if cursor.description else []

    @initialize(
        slots=st.sampled_from([3, 1, 8]),
        retries=st.sampled_from([1, 4, 0]),
        on_conflict=st.sampled_from(["skip", "wait"]),
        on_interrupt=st.sampled_from(["ask", "retry"]),
    )
    def open(self, slots: int, retries: int, on_conflict: str, on_interrupt: str) -> None:
        office = self.office
        for name, capacity, cooldown, role in AGENTS:
            office.agents[name] = Agent(
                name, capacity, timedelta(seconds=cooldown), leads=role == "coordinator"
            )
        office.max_retries, office.on_conflict, office.on_interrupt = retries, on_conflict, on_interrupt
        for key, value in (
            ("max_retry_count", retries),
            ("on_checkout_conflict", on_conflict),
            ("on_interrupt", on_interrupt),
            ("overflow_after_minutes", 10000),
        ):
            self.sql("select office.set_setting(%s, %s)", key, str(value))
        # Recovery (T11) is not of the queue: its slot is taken for ever.
        self.sql(
            "insert into office_internal.recovery_slots (workspace_id, swept_at)"
            " select w.id, 'infinity' from office.workspaces as w"
        )
        self.set_slots(slots)
        self.register()

    # Requests

    def request(self, agent: str, source: str, payload: dict[str, object], task: Task | None) -> Wakeup:
        wakeup = Wakeup(self.office.agents[agent], source, self.office.now, task=task)
        if source == "routine":
            wakeup.routine, wakeup.fire = str(payload["routine_id"]), str(payload.get("fire", "cron"))
        if source == "review_requested":
            wakeup.addresses = str(payload["role"])
        return wakeup

    def payload(self, agent: str, source: str, payload: dict[str, object]) -> dict[str, object]:
        if source == "message":
            return {**payload, "session_id": open_session(self.conn, agent)}
        return payload

    def wake(
        self, agent: str, source: str, payload: dict[str, object], task: Task | None, key: str | None
    ) -> None:
        payload = self.payload(agent, source, payload)
        if task:
            payload = {**payload, "task_id": self.tasks[task]}
        wakeup = self.request(agent, source, payload, task)
        first = self.office.wake(wakeup, key)
        row = self.sql("select * from office.wake(%s, %s, %s, %s)", agent, source, Jsonb(payload), key)[0]
        assert row["duplicate"] == (first is not wakeup), "one of them knows the key"
        first.id = first.id or str(row["wakeup_id"])
        assert first.id == str(row["wakeup_id"]), "the key's first wakeup"

    @rule(agent=agents, kind=st.sampled_from(list(TASKLESS)), key=st.sampled_from([None, None, "k1", "k2"]))
    def wake_for_nothing(self, agent: str, kind: str, key: str | None) -> None:
        self.wake(agent, *TASKLESS[kind], None, key)

    @precondition(lambda self: self.living())
    @rule(agent=agents, kind=st.sampled_from(list(ON_TASK)), task=nth)
    def wake_about(self, agent: str, kind: str, task: int) -> None:
        self.wake(agent, *ON_TASK[kind], chosen(self.living(), task), None)

    @rule(who=st.lists(st.tuples(agents, st.sampled_from(list(TASKLESS))), min_size=2, max_size=5))
    def wake_many(self, who: list[tuple[str, str]]) -> None:
        asked = [(agent, *TASKLESS[kind]) for agent, kind in who]
        made = [self.office.wake(self.request(*each, None)) for each in asked]
        rows = self.sql(
            "select * from office.wake_many(%s) order by ordinal",
            Jsonb(
                [
                    {"agent": agent, "source": source, "payload": self.payload(agent, source, payload)}
                    for agent, source, payload in asked
                ]
            ),
        )
        for wakeup, row in zip(made, rows, strict=True):
            wakeup.id = str(row["wakeup_id"])

    # Tasks

    def living(self) -> list[Task]:
        return [task for task in self.office.tasks if not task.deleted]

    @precondition(lambda self: len(self.office.tasks) < 6)
    @rule(
        agent=st.one_of(agents, st.none()), under=st.one_of(st.none(), nth), after=st.one_of(st.none(), nth)
    )
    def create_task(self, agent: str | None, under: int | None, after: int | None) -> None:
        others = self.living()
        wholes = [task for task in others if not task.archived]
        parent = chosen(wholes, under) if wholes and under is not None else None
        blockers = [chosen(others, after)] if others and after is not None else []
        task = self.office.create_task(self.office.agents[agent] if agent else None, parent, blockers)
        self.tasks[task] = str(
            self.sql(
                "select task from office.create_task(%s, assignee => %s, parent => %s, blocked_by => %s)",
                task.name,
                agent,
                self.tasks[parent] if parent else None,
                [self.tasks[blocker] for blocker in blockers],
            )[0]["task"]
        )

    @precondition(lambda self: self.living())
    @rule(task=nth, agent=st.one_of(agents, st.none()))
    def assign_task(self, task: int, agent: str | None) -> None:
        given = chosen(self.living(), task)
        self.office.assign(given, self.office.agents[agent] if agent else None)
        self.sql("select office.assign_task(%s, %s)", self.tasks[given], agent)

    @precondition(lambda self: self.living())
    @rule(task=nth, to=nth)
    def move_task(self, task: int, to: int) -> None:
        moved = chosen(self.living(), task)
        # With an approver it is done only after a review, and nobody reviews here (T9).
        needs = any(role == "approver" and agent is not moved.assignee for agent, role in moved.participants)
        state = chosen([state for state in MOVES[moved.state] if not (needs and state == "done")], to)
        tell(f"  to {state}")
        self.office.move(moved, state)
        self.sql("select office.move_task(%s, %s)", self.tasks[moved], state)

    @precondition(lambda self: self.living())
    @rule(task=nth, deed=st.sampled_from(["archive", "delete"]))
    def put_away(self, task: int, deed: str) -> None:
        gone = chosen(self.living(), task)
        getattr(self.office, deed)(gone)
        self.sql(f"select office.{deed}_task(%s)", self.tasks[gone])

    @precondition(lambda self: self.living())
    @rule(task=nth, hours=st.sampled_from([1, None]))
    def snooze(self, task: int, hours: int | None) -> None:
        held = chosen(self.living(), task)
        until = self.office.now + hours * HOUR if hours else None
        if held.snoozed_until != until:
            held.snoozed_until = until
            self.office.held_anew(held)
        self.sql(
            "update office.tasks set snoozed_until = %s where 't' || number = %s", until, self.tasks[held]
        )

    @precondition(lambda self: len(self.living()) > 1)
    @rule(task=nth, blocker=nth)
    def block(self, task: int, blocker: int) -> None:
        # By an older task, so that no circle is made.
        older, held = sorted(
            (chosen(self.living(), task), chosen(self.living()[:-1], blocker)), key=self.office.tasks.index
        )
        if held is older:
            held = self.office.tasks[-1]
        if held is older or older in held.blockers:
            return
        held.blockers.append(older)
        self.office.held_anew(held)
        self.sql(
            "insert into office.task_blockers (workspace_id, task_id, blocker_task_id)"
            " select t.workspace_id, t.id, b.id from office.tasks as t, office.tasks as b"
            " where 't' || t.number = %s and 't' || b.number = %s",
            self.tasks[held],
            self.tasks[older],
        )

    @precondition(lambda self: any(task.blockers for task in self.office.tasks))
    @rule(task=nth)
    def unblock(self, task: int) -> None:
        held = chosen([task for task in self.office.tasks if task.blockers], task)
        self.office.unblock(held)
        self.sql(
            "delete from office.task_blockers as b using office.tasks as t"
            " where t.id = b.task_id and 't' || t.number = %s",
            self.tasks[held],
        )

    @precondition(lambda self: self.living())
    @rule(task=nth, agent=agents, role=st.sampled_from(["reviewer", "approver"]), is_one=st.booleans())
    def participate(self, task: int, agent: str, role: str, is_one: bool) -> None:
        of = chosen(self.living(), task)
        if is_one:
            of.participants.add((self.office.agents[agent], role))
            statement = (
                "insert into office.task_participants (workspace_id, task_id, agent_id, role)"
                " select t.workspace_id, t.id, a.id, %s from office.tasks as t, office.agents as a"
                " where 't' || t.number = %s and a.name = %s on conflict do nothing"
            )
        else:
            of.participants.discard((self.office.agents[agent], role))
            statement = (
                "delete from office.task_participants as p using office.tasks as t, office.agents as a"
                " where p.role = %s and t.id = p.task_id and 't' || t.number = %s"
                " and a.id = p.agent_id and a.name = %s"
            )
        self.sql(statement, role, self.tasks[of], agent)

    # Steering

    @rule(agent=agents, deed=st.sampled_from(["pause", "resume", "resume", "stop"]))
    def steer_agent(self, agent: str, deed: str) -> None:
        steered = self.office.agents[agent]
        if deed == "stop":
            self.office.stop_agent(steered)
        elif deed == "resume" or steered.status != "stopped":
            self.office.set_agent(steered, "active" if deed == "resume" else "paused")
        else:
            return
        self.sql(f"select office.{deed}(%s)", f"agent:{agent}")

    @rule(
        what=st.sampled_from(["workspace:main", "everything"]),
        deed=st.sampled_from(["pause", "resume", "resume", "stop"]),
    )
    def steer_all(self, what: str, deed: str) -> None:
        if deed == "stop":
            self.office.stop(self.office.runs)
        elif deed == "pause":
            self.office.pause(everything=what == "everything")
        else:
            self.office.resume(everything=what == "everything")
        self.sql(f"select office.{deed}(%s)", what)

    @precondition(lambda self: self.unended())
    @rule(run=nth)
    def stop_run(self, run: int) -> None:
        stopped = chosen(self.unended(), run)
        tell(f"  {stopped.name}")
        self.office.stop([stopped])
        self.sql("select office.stop(%s)", stopped.id)

    @precondition(lambda self: self.living())
    @rule(task=nth)
    def stop_task(self, task: int) -> None:
        of = chosen(self.living(), task)
        self.office.stop([run for run in self.office.runs if run.task is of])
        self.sql("select office.stop(%s)", self.tasks[of])

    @precondition(lambda self: self.retriable())
    @rule(run=nth)
    def retry_run(self, run: int) -> None:
        retried = chosen(self.retriable(), run)
        tell(f"  {retried.name}")
        self.office.retry(retried)
        self.sql("select office.retry_run('r' || number) from office.runs where id = %s", retried.id)

    @rule(agent=agents, capacity=st.sampled_from([1, 2, 4]), cooldown=st.sampled_from([0, 10, 60]))
    def limit_agent(self, agent: str, capacity: int, cooldown: int) -> None:
        self.office.limit_agent(self.office.agents[agent], capacity, timedelta(seconds=cooldown))
        self.sql(
            "select office.update_agent(%s, %s)",
            agent,
            Jsonb({"max_concurrent_sessions": capacity, "cooldown_sec": cooldown}),
        )

    @rule(slots=st.sampled_from([1, 2, 8]))
    def set_slots(self, slots: int) -> None:
        self.office.set_slots(slots)
        self.sql("select office.set_setting('max_concurrent_runs', %s)", str(slots))

    # Workers and their runs

    def unended(self) -> list[Run]:
        return [run for run in self.office.runs if run.status == "queued" or run.live]

    def retriable(self) -> list[Run]:
        return [r for r in self.office.runs if r.status in ("interrupted", "failed", "blocked")]

    def working(self) -> list[Worker]:
        return [worker for worker in self.office.workers if not worker.ended]

    @precondition(lambda self: len(self.working()) < 3)
    @rule()
    def register(self) -> None:
        row = self.sql(
            "select worker_id from office.register_worker(%s, max_runs => 100)",
            f"box{len(self.office.workers)}",
        )[0]
        self.office.register(str(row["worker_id"]))

    @precondition(lambda self: self.working())
    @rule(worker=nth, most=st.sampled_from([1, 3, 200]))
    def claim(self, worker: int, most: int) -> None:
        claimer = chosen(self.working(), worker)
        self.before_claim()
        rows = self.sql("select * from office.claim_runs(%s, %s)", claimer.id, most)
        launched = self.office.claim(claimer, most)
        self.bind(self.sql(LOOK, SOFT)[0])
        assert {str(row["run_id"]) for row in rows[:-1]} == {run.id for run in launched}, (
            f"launched {self.names(rows[:-1])}, not {[run.name for run in launched]}"
        )
        self.attempts |= {str(row["run_id"]): str(row["attempt_id"]) for row in rows[:-1]}
        self.tokens |= {str(row["run_id"]): row["token"] for row in rows[:-1]}
        tell(f"  launched {[run.name for run in launched]}")

    def names(self, rows: list[dict[str, Any]]) -> list[str]:
        names = {run.id: run.name for run in self.office.runs}
        return [names.get(str(row["run_id"]), "another") for row in rows]

    def launched(self) -> list[Run]:
        """Those whose program has not ended, or is about to start."""
        runs = [run for run in self.office.runs if run.status in LIVE]
        return [run for run in runs if run.status == "claimed" or not run.attempts[-1].left]

    def programs(self) -> list[Run]:
        return [run for run in self.launched() if not run.attempts[-1].left]

    def asking(self, *states: str) -> list[Run]:
        return [run for run in self.programs() if run.status in states]

    def waiting(self) -> list[Run]:
        return [run for run in self.office.runs if run.status == "waiting"]

    @precondition(lambda self: self.launched())
    @rule(run=nth)
    def start(self, run: int) -> None:
        started = chosen(self.launched(), run)
        tell(f"  {started.name}")
        self.office.start(started)
        self.sql("select office.start_attempt(%s, 1)", self.attempts[started.id])

    @precondition(lambda self: self.asking("running", "waiting"))
    @rule(run=nth)
    def ask(self, run: int) -> None:
        asks = chosen(self.asking("running", "waiting"), run)
        tell(f"  {asks.name}")
        if asks.attempts[-1].open > 3:
            return
        self.office.ask(asks)
        self.questions += 1
        self.sql("select office.act_with(%s)", self.tokens[asks.id])
        self.sql("select office.ask(%s)", f"question {self.questions}")
        self.sql("select set_config('office.acting', '', true)")

    @precondition(lambda self: self.waiting())
    @rule(run=nth)
    def answer(self, run: int) -> None:
        answered = chosen(self.waiting(), run)
        tell(f"  {answered.name}")
        self.office.answer(answered)
        self.sql(
            "select office.answer(d.id::text, 'yes') from office.decisions as d"
            " where d.run_id = %s and d.status = 'pending' and d.kind = 'question' order by d.number limit 1",
            answered.id,
        )

    def clean_up(self, run: Run) -> None:
        """Each launcher does, at once."""
        self.sql("select office.confirm_cleanup(%s)", self.attempts[run.id])

    @precondition(lambda self: self.programs())
    @rule(run=nth)
    def finish(self, run: int) -> None:
        finished = chosen(self.programs(), run)
        tell(f"  {finished.name}")
        self.office.finish([finished])
        self.sql("select office.finish_attempt(%s)", self.attempts[finished.id])
        self.clean_up(finished)

    @precondition(lambda self: self.programs())
    @rule()
    def finish_all(self) -> None:
        runs = self.programs()
        self.office.finish(runs)
        self.sql(
            "select office.finish_attempts(%s)",
            Jsonb([{"attempt_id": self.attempts[run.id]} for run in runs]),
        )
        for run in runs:
            self.clean_up(run)

    @precondition(lambda self: self.programs())
    @rule(run=nth, how=st.sampled_from(["failure", "failure", "limit told", "configuration", "limit"]))
    def fail(self, run: int, how: str) -> None:
        failed = chosen(self.programs(), run)
        tell(f"  {failed.name}")
        error, cause = ("429, Retry-After: 600", "failure") if how == "limit told" else ("broke", how)
        row = self.sql(
            "select * from office.fail_attempt(%s, %s, %s)", self.attempts[failed.id], error, cause
        )[0]
        limit = timedelta(seconds=600) if how == "limit told" else None
        self.office.fail(failed, cause, limit, row["scheduled_retry_at"])
        self.clean_up(failed)

    @precondition(lambda self: self.working())
    @rule(worker=nth)
    def heartbeat(self, worker: int) -> None:
        beating = chosen(self.working(), worker)
        self.office.beat(beating)
        self.sql("select office.heartbeat(%s)", beating.id)

    @precondition(lambda self: self.working())
    @rule(worker=nth, how=st.sampled_from(["drain", "expire"]))
    def end_worker(self, worker: int, how: str) -> None:
        ended = chosen(self.working(), worker)
        self.office.end_worker(ended)
        self.sql(f"select office.{how}_worker(%s)", ended.id)

    # The office itself, and time

    @rule(seconds=st.sampled_from([1, 5, 10, 70, 150, 3600, 10000]))
    def advance(self, seconds: int) -> None:
        self.office.now += timedelta(seconds=seconds)
        self.sql("select testing.set_clock(%s)", self.office.now)

    @rule()
    def maintain(self) -> None:
        self.office.sweep()
        self.sql("select office.maintain()")

    @rule()
    def dispatch(self) -> None:
        self.office.dispatch()
        self.sql("select office.dispatch()")

    @rule()
    def carry_out(self) -> None:
        self.office.carry_out()
        self.sql("select office.carry_out()")

    # The comparison

    def before_claim(self) -> None:
        """Runs of one instant go by id, and ids are the database's: both dispatch first."""
        self.dispatch()
        self.bind(self.sql(LOOK, SOFT)[0])

    def bind(self, found: dict[str, Any]) -> None:
        """Ids of what only the database named: wakes that the office made, then each maker's run."""
        known = {wakeup.id for wakeup in self.office.wakeups if wakeup.id}
        for wakeup in self.office.wakeups:
            if wakeup.id is None:
                like = (wakeup.agent.name, wakeup.source, wakeup.task.name if wakeup.task else None)
                wakeup.id = next(
                    (
                        row["id"]
                        for row in found["wakeups"]
                        if row["id"] not in known and (row["agent"], row["source"], row["task"]) == like
                    ),
                    None,
                )
                assert wakeup.id, f"no wakeup {like}"
                known.add(wakeup.id)
        strangers = [row for row in found["wakeups"] if row["id"] not in known]
        assert not strangers, f"nobody asked for {strangers}"
        run_of = {row["id"]: row["run"] for row in found["wakeups"]}
        bound = {run.id for run in self.office.runs}
        for run in self.office.runs:
            if not run.id:
                run.id = run_of[run.maker.id] or ""
                assert run.id not in bound, f"{run.name}: {run.maker.source} made no run of its own"
                bound.add(run.id)

    def check_invariants(self, *_: object) -> None:
        """After each step; not told, so that a story has deeds only."""
        self.agree()

    def agree(self) -> None:
        self.agreed = False
        found = self.sql(LOOK, SOFT)[0]
        self.bind(found)
        rows = {row["id"]: row for row in found["runs"]}
        assert set(rows) == {run.id for run in self.office.runs}, "a run that nobody made"
        for run in self.office.runs:
            row = rows[run.id]
            for name in ("requested_at", "scheduled_retry_at"):
                row[name] = row[name] and datetime.fromisoformat(row[name])
            self.compare_run(run, row)
        wakeups = {row["id"]: row for row in found["wakeups"]}
        for wakeup in self.office.wakeups:
            row = wakeups[wakeup.id]
            differs = differences(
                row,
                status=wakeup.status,
                reason=wakeup.reason,
                addresses=wakeup.addresses,
                **{"class": wakeup.kind},
            )
            assert not differs, f"{wakeup.source} for {wakeup.agent.name}: {differs}"
        for task, number in self.tasks.items():
            assert found["tasks"][number] == task.state, task.name
        assert found["books"] == [], "the books"
        self.agreed = True

    def compare_run(self, run: Run, row: dict[str, Any]) -> None:
        if row["result"] == "review_participant_changed" and run.status == "queued":
            # Who takes a participant away leaves no signal: whoever looks at the run first finds it.
            self.office.settle(run)
        differs = differences(
            row,
            status=run.status,
            result=run.result,
            reason=run.reason,
            agent=run.agent.name,
            task=run.task.name if run.task else None,
            requested_at=run.requested_at,
            stop_reason=run.stop_reason,
            wakeups=[wakeup.id for wakeup in run.wakeups],
            coalesced_count=len(run.wakeups),
            attempts=[attempt.outcome for attempt in run.attempts],
            locks=bool(run.task and run.task.lock is run),
            **{"class": run.kind},
        )
        if run.status == "queued":
            differs |= differences(row, retry_count=run.retries, scheduled_retry_at=run.retry_at)
        assert not differs, f"{run.name}: {differs}"
        if run.status == "queued" and not self.office.signals:
            waits = self.office.waits(run)
            told = [next(name for words, name in WORDS.items() if words in reason) for reason in row["waits"]]
            holds = [reason for reason in waits if reason in HOLDS]
            others = set(waits).difference(holds)
            assert set(told) in ([others | {hold} for hold in holds] or [others]), (
                f"{run.name} waits for {waits}, and is told {row['waits']}"
            )

    def teardown(self) -> None:
        try:
            if self.agreed:
                self.come_to_rest()
        finally:
            self.conn.rollback()

    def come_to_rest(self) -> None:
        """Nothing is parked or queued for ever: with every hold lifted, all of it runs and ends."""
        tell("everything is let go")
        self.steer_all("everything", "resume")
        self.steer_all("workspace:main", "resume")
        for agent in self.office.agents:
            self.steer_agent(agent, "resume")
        while any(task.blockers for task in self.office.tasks):
            self.unblock(0)
        self.set_slots(8)
        self.register()
        worker = len(self.working()) - 1
        # One at a time at the worst, and none that comes of another's end makes a third.
        for _ in range(10 + 2 * len(self.office.wakeups)):
            self.claim(worker, 200)
            self.agree()
            if not self.unended():
                break
            while self.launched() and self.launched() != self.programs():
                self.start([run in self.programs() for run in self.launched()].index(False))
            for _ in range(sum(run.attempts[-1].open for run in self.waiting())):
                self.answer(0)
            self.finish_all()
            self.carry_out()
            self.advance(10000)
        assert not self.unended(), f"for ever: {[run.name for run in self.unended()]}"
        assert all(wakeup.status != "queued" for wakeup in self.office.wakeups)


@pytest.fixture
def office(connect: Callable[..., Connection]) -> Iterator[Connection]:
    conn = connect(autocommit=False, row_factory=dict_row)
    install_test_clock(conn, START)
    for name, capacity, cooldown, role in AGENTS:
        conn.execute(
            "select office.create_agent(%s, executor => %s, role => %s, cooldown_sec => %s,"
            " max_concurrent_sessions => %s)",
            [name, Jsonb({"command": ["/bin/true"]}), role, cooldown, capacity],
        )
    conn.execute("select office.dispatch('main')")
    conn.commit()
    yield conn


def live_stories(machine: Callable[[], OfficeMachine], examples: int, *phases: Phase) -> None:
    run_state_machine_as_test(
        cast(type[OfficeMachine], machine),  # it is only called
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            phases=phases or tuple(Phase),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.slow
def test_the_office_does_what_the_reference_does(office: Connection) -> None:
    """K10, Q26: no story of Q, S and P on which they differ."""
    live_stories(lambda: OfficeMachine(office), EXAMPLES)


def test_an_agent_whose_runs_give_up_waits(office: Connection) -> None:
    """Q23, S5: three in a row pause it at once, and what waits says so before its row does."""
    story = OfficeMachine(office)
    story.open(8, 0, "skip", "ask")
    story.steer_agent("cid", "stop")  # who leads would be told, and work
    for _ in range(3):
        story.wake_for_nothing("ann", "user", None)
        story.claim(0, 1)
        story.start(0)
        story.fail(0, "failure")
        story.agree()
    story.wake_for_nothing("ann", "user", None)
    story.claim(0, 1)
    story.agree()
    assert story.office.waits(story.office.queued()[-1]) == ["agent paused"]
    story.carry_out()
    story.claim(0, 1)
    story.agree()
    story.teardown()


def test_a_longer_cooldown_holds_at_once(office: Connection) -> None:
    """Q12: an end of a moment ago counts by the cooldown of now, also where there was none then."""
    story = OfficeMachine(office)
    story.open(8, 0, "skip", "ask")
    story.wake_for_nothing("ann", "user", None)
    story.claim(0, 1)
    story.finish(0)
    story.limit_agent("ann", 2, 60)
    story.wake_for_nothing("ann", "user", None)
    story.claim(0, 1)
    story.agree()
    assert story.office.waits(story.office.queued()[-1]) == ["cooldown"]
    story.teardown()


def test_a_fire_by_hand_does_not_wait_for_a_back_off(office: Connection) -> None:
    """Q21: a person caused it, as he causes a wake."""
    story = OfficeMachine(office)
    story.open(8, 4, "skip", "ask")
    story.wake_for_nothing("cid", "tick of one", None)
    story.claim(0, 1)
    story.fail(0, "failure")
    story.wake_for_nothing("cid", "hand fires one", None)
    story.dispatch()
    story.agree()
    assert not story.office.waits(story.office.runs[0])
    story.teardown()


def test_a_run_that_went_on_with_its_answer_ends(office: Connection) -> None:
    """D9: its program ended before the answer; the one that is started with it was told."""
    story = OfficeMachine(office)
    story.open(8, 0, "skip", "ask")
    story.wake_for_nothing("ann", "user", None)
    story.claim(0, 1)
    story.start(0)
    story.ask(0)
    story.finish(0)
    story.answer(0)
    story.claim(0, 1)
    story.start(0)
    story.finish(0)
    story.agree()
    assert not story.unended()
    story.teardown()


class WithoutASecondLook(Office):
    """Believes that a run which is queued may always be claimed while there are slots."""

    def waits(self, run: Run) -> list[str]:
        return [reason for reason in super().waits(run) if reason == "slots"]


def test_another_office_would_be_noticed(office: Connection) -> None:
    """K13: a reference that forgets what holds runs back lives another story before long."""

    def machine() -> OfficeMachine:
        told = OfficeMachine(office)
        told.office = WithoutASecondLook(START, [])
        return told

    with pytest.raises(AssertionError, match=r"waits for|launched"):
        live_stories(machine, 60, Phase.generate)
