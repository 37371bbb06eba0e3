"""The office in plain Python, as docs/spec says it is: Q (queue.md), S, P (control.md), and of T what wakes.

One workspace, one thing after the other, nothing cached: whether a run may be claimed is asked of the rules
each time. It knows nothing of the SQL; the machine in test_office.py does the same to both and compares.
Numbers in comments are the specification's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

LIVE = ("claimed", "running", "waiting", "stopping")
CLOSED = ("done", "cancelled")
BACK_OFF = [timedelta(minutes=2), timedelta(minutes=10), timedelta(minutes=30), timedelta(hours=2)]
BUFFER = timedelta(seconds=30)
COALESCING_WINDOW = timedelta(seconds=5)
AUTO_PAUSE_AFTER = 3
LEASE = timedelta(seconds=60)
SWEEP = timedelta(seconds=60)

# Q2, Q6, Q12, Q21
BURSTY = ("task_blockers_resolved", "task_children_completed")
WORKED_ON = ("todo", "in_progress", "in_review", "blocked")
HELD_BY_BLOCKERS = ("task_assigned", "queue_run")
SOLO = ("message",)
PERSONS = ("user", "comment", "approval_resolved")
TO_NOBODY = ("agent_error", "budget_alert", "message")
TO_WHOEVER = ("comment", "self", "user", "approval_resolved", "queue_run")


@dataclass(eq=False)
class Agent:
    name: str
    capacity: int
    cooldown: timedelta
    leads: bool = False
    status: str = "active"
    last_end: datetime | None = None
    gave_up: int = 0
    shut: bool = False
    pausing: bool = False
    paused_by: str = "person"


@dataclass(eq=False)
class Task:
    name: str
    assignee: Agent | None
    parent: Task | None
    blockers: list[Task]
    state: str = "todo"
    archived: bool = False
    deleted: bool = False
    snoozed_until: datetime | None = None
    participants: set[tuple[Agent, str]] = field(default_factory=set)
    lock: Run | None = None
    closings: int = 0

    @property
    def closed(self) -> bool:
        return self.state in CLOSED or self.archived or self.deleted

    @property
    def blocked(self) -> bool:
        return any(not blocker.closed for blocker in self.blockers)

    @property
    def wakes(self) -> bool:
        """T3, T4: an office task, in a stage that starts work."""
        return not self.archived and not self.deleted and self.state != "proposed"


@dataclass(eq=False)
class Wakeup:
    agent: Agent
    source: str
    requested_at: datetime
    addresses: str = ""
    task: Task | None = None
    routine: str | None = None
    fire: str | None = None
    status: str = "queued"
    reason: str | None = None
    run: Run | None = None
    id: str | None = None

    @property
    def kind(self) -> str:
        """Its class: Q2."""
        return "periodic" if self.source == "routine" and self.fire == "cron" and not self.task else "event"

    @property
    def solo(self) -> bool:
        return self.source in SOLO

    @property
    def by_person(self) -> bool:
        return self.source in PERSONS or self.fire == "manual"

    @property
    def scope(self) -> object:
        return self.task or self.routine


@dataclass(eq=False)
class Run:
    name: str
    maker: Wakeup
    kind: str
    requested_at: datetime
    status: str = "queued"
    result: str = "queued"
    reason: str = ""
    stop_reason: str | None = None
    wakeups: list[Wakeup] = field(default_factory=list)
    retries: int = 0
    retry_at: datetime | None = None
    attempts: list[Attempt] = field(default_factory=list)
    id: str = ""

    agent: Agent = field(init=False)
    task: Task | None = field(init=False)
    scope: object = field(init=False)
    solo: bool = field(init=False)

    def __post_init__(self) -> None:
        # Fixed when it is made (Q4).
        self.agent, self.task, self.scope, self.solo = (
            self.maker.agent,
            self.maker.task,
            self.maker.scope,
            self.maker.solo,
        )
        self.reason = self.maker.source

    @property
    def answered(self) -> bool:
        """Queued to go on after an answer: its attempt lives, and it holds its slot (S3)."""
        return self.status == "queued" and bool(self.attempts) and self.attempts[-1].outcome is None

    @property
    def live(self) -> bool:
        return self.status in LIVE or self.answered

    @property
    def open(self) -> bool:
        """Queued, and a later wakeup of its scope joins it."""
        return self.status == "queued" and not self.solo and not self.answered

    @property
    def for_assignee(self) -> bool:
        return any(w.addresses == "assignee" for w in self.wakeups)


@dataclass(eq=False)
class Attempt:
    run: Run
    worker: Worker
    shown: int
    started: bool = False
    open: int = 0  # what it asked, and nobody has answered
    untold: int = 0  # answers that its program has not heard
    left: bool = False  # it goes on without a program, for an answer (D9)
    outcome: str | None = None


@dataclass(eq=False)
class Worker:
    id: str
    lease_until: datetime
    ended: bool = False


@dataclass(frozen=True, eq=False)
class Signal:
    kind: str
    wakeup: Wakeup | None = None
    task: Task | None = None
    agent: Agent | None = None
    mover: Agent | None = None
    removed: tuple[Task, ...] = ()
    was_open: bool = False


class Office:
    def __init__(self, now: datetime, agents: Iterable[Agent]) -> None:
        self.now = now
        self.agents = {agent.name: agent for agent in agents}
        self.slots = 3
        self.max_retries = 4
        self.on_conflict = "skip"
        self.on_interrupt = "ask"
        self.paused = self.everything_paused = False
        self.last_sweep: datetime | None = None
        self.tasks: list[Task] = []
        self.wakeups: list[Wakeup] = []
        self.runs: list[Run] = []
        self.workers: list[Worker] = []
        self.keys: dict[object, Wakeup] = {}
        self.signals: list[Signal] = []
        self.changes: list[tuple[Task | None, Agent, str]] = []
        """A task that is to reach a state, or an agent that is to be paused."""

    # Asking for a wakeup

    def wake(self, wakeup: Wakeup, key: object = None) -> Wakeup:
        """Q1, Q3: the wakeup, or the one that has its key already."""
        if key is not None:
            if key in self.keys:
                return self.keys[key]
            self.keys[key] = wakeup
        wakeup.addresses = wakeup.addresses or self._addressed(wakeup)
        self.wakeups.append(wakeup)
        self.signals.append(Signal("wakeup", wakeup=wakeup))
        return wakeup

    def _addressed(self, wakeup: Wakeup) -> str:
        task = wakeup.task
        if task is None or wakeup.source in TO_NOBODY:
            return "nobody"
        if wakeup.source not in TO_WHOEVER or task.assignee is wakeup.agent:
            return "assignee"
        return min((role for agent, role in task.participants if agent is wakeup.agent), default="mentioned")

    # Tasks (T2, T5, T6, T8)

    def create_task(self, assignee: Agent | None, parent: Task | None, blockers: list[Task]) -> Task:
        task = Task(f"t{len(self.tasks) + 1}", assignee, parent, blockers)
        self.tasks.append(task)
        if assignee:
            self.signals.append(Signal("task_assigned", task=task, agent=assignee))
        if blockers:
            self.signals.append(Signal("task_holds", task=task))
        return task

    def assign(self, task: Task, agent: Agent | None) -> None:
        before, task.assignee = task.assignee, agent
        if before is not agent:
            if before:
                self.signals.append(Signal("task_unassigned", task=task, agent=before))
            if agent:
                self.signals.append(Signal("task_assigned", task=task, agent=agent))

    def move(self, task: Task, state: str, mover: Agent | None = None) -> None:
        before, was_closed, task.state = task.state, task.closed, state
        if (state == "in_progress" and before not in ("in_review", state)) or (before, state) == (
            "proposed",
            "todo",
        ):
            self.signals.append(Signal("task_started", task=task, mover=mover))
        elif before in CLOSED and state == "todo":
            self.signals.append(Signal("task_reopened", task=task))
        self._closed(task, was_closed)

    def archive(self, task: Task) -> None:
        was_closed, task.archived = task.closed, True
        self._closed(task, was_closed)
        for part in self.tasks:
            if part.parent is task and not part.archived:
                self.archive(part)

    def delete(self, task: Task) -> None:
        was_closed, task.deleted = task.closed, True
        self._closed(task, was_closed)
        for part in self.tasks:
            if part.parent is task and not part.deleted:
                self.delete(part)

    def _closed(self, task: Task, was_closed: bool) -> None:
        if task.closed and not was_closed:
            task.closings = 1 + max(other.closings for other in self.tasks)
            self.signals.append(Signal("task_closed", task=task))
        elif was_closed:
            self.signals.append(Signal("task_holds", task=task))

    def held_anew(self, task: Task) -> None:
        """Its snooze has changed."""
        self.signals.append(Signal("task_holds", task=task))

    def unblock(self, task: Task) -> None:
        """What it waits for is taken away."""
        self.signals.append(Signal("task_holds", task=task, removed=(*task.blockers,), was_open=task.blocked))
        task.blockers.clear()

    def carry_out(self) -> None:
        """A started task is in progress; an agent whose runs gave up is paused (A6)."""
        for task, agent, state in self.changes:
            if task is None:
                agent.pausing = False
                if agent.status == "active":
                    agent.status, agent.paused_by = "paused", "failures"
                self.signals.append(Signal("agent", agent=agent))
            elif (task.state, state) in (("todo", "in_progress"), ("in_progress", "todo")):
                self.move(task, state, mover=agent)
        self.changes.clear()

    # Dispatch (Q4, A6)

    def dispatch(self) -> None:
        if not self.signals:
            return
        signals, self.signals = self.signals, []
        for agent in {s.agent for s in signals if s.kind == "agent" and s.agent}:
            self._follow(agent)
        wakeups = [s.wakeup for s in signals if s.wakeup]
        wakeups += self._wakes_of_tasks(signals)
        self._stop_what_is_not_wanted(signals)
        tasks = {s.task for s in signals if s.task}
        tasks |= {
            task
            for task in self.tasks
            for s in signals
            if s.kind == "task_closed" and s.task in task.blockers
        }
        agents = {s.agent for s in signals if s.kind == "agent"}
        concerned = [r for r in self.runs if r.status == "queued" and (r.task in tasks or r.agent in agents)]
        concerned += [run for run in map(self._merge, wakeups) if run.status == "queued"]
        for run in concerned:
            if run.status == "queued":
                self.settle(run)

    def _follow(self, agent: Agent) -> None:
        """Whom a person resumed begins anew (Q23)."""
        shut = agent.status != "active" or agent.pausing
        if agent.shut and not shut:
            agent.gave_up = 0
        agent.shut = shut

    def _wakes_of_tasks(self, signals: list[Signal]) -> list[Wakeup]:
        made: list[Wakeup] = []

        def wake(task: Task, source: str, key: object = None) -> None:
            assert task.assignee
            wakeup = Wakeup(task.assignee, source, self.now, "assignee", task)
            if key is None or self.keys.setdefault(key, wakeup) is wakeup:
                self.wakeups.append(wakeup)
                made.append(wakeup)

        for s in signals:
            task = s.task
            if s.kind not in ("task_assigned", "task_started") or not task or not task.assignee:
                continue
            if s.kind == "task_assigned" and task.assignee is not s.agent:
                continue
            states = ("todo", "in_progress") if s.kind == "task_started" else WORKED_ON
            starts = task.state in states and task.wakes and not task.blocked
            if starts and s.mover is not task.assignee:
                wake(task, "task_assigned")
        for s in signals:
            task = s.task
            if s.kind != "task_reopened" or not task or not task.assignee or task.state != "todo":
                continue
            if task.wakes and not task.blocked:
                wake(task, "reopened")
        closed = [s.task for s in signals if s.kind == "task_closed"]
        for task in self.tasks:
            removals = [s for s in signals if s.task is task and s.removed]
            waits = [run for run in self.runs if run.task is task and run.status == "queued"]
            let_go = any(run.agent is task.assignee for run in waits)
            freed = any(blocker in closed for blocker in task.blockers) or (bool(removals) and not let_go)
            if freed and not task.blocked and task.assignee and task.wakes and not task.closed:
                over = [*task.blockers, *(blocker for s in removals for blocker in s.removed)]
                opened = [s for s in removals if s.was_open]
                event = opened[-1] if opened else max(blocker.closings for blocker in over)
                wake(task, "task_blockers_resolved", ("blockers", task, event))
        for task in self.tasks:
            children = [child for child in self.tasks if child.parent is task]
            ended = all(child.closed for child in children) and any(child in closed for child in children)
            if ended and task.assignee and task.wakes and not task.closed:
                last = max(child.closings for child in children)
                wake(task, "task_children_completed", ("children", task, last))
        return made

    def _stop_what_is_not_wanted(self, signals: list[Signal]) -> None:
        for s in signals:
            task = s.task
            gone = task and (task.archived or task.deleted)
            if s.kind == "task_closed":
                gone = gone or (task and task.state == "cancelled")
            elif s.kind != "task_holds":
                continue
            for run in self.live():
                if gone and run.task is task:
                    self._stop_live(run, "task_cancelled")
        for s in signals:
            for run in self.live():
                taken_away = s.task and s.kind == "task_unassigned" and s.task.assignee is not s.agent
                if taken_away and run.task is s.task and run.agent is s.agent and run.for_assignee:
                    self._stop_live(run, "assignee_changed")
        for agent in {s.agent for s in signals if s.kind == "agent"}:
            for run in self.live():
                if run.agent is agent and agent.status == "stopped":
                    self._stop_live(run, "stopped")
                if run.agent is agent and agent.status == "paused" and agent.paused_by == "person":
                    self._stop_live(run, "paused")

    def _merge(self, wakeup: Wakeup) -> Run:
        """Q4: the run that it makes or joins."""
        run = None if wakeup.solo else self._open_run(wakeup) or self._live_run(wakeup)
        if run is None:
            wakeup.status = "claimed"
            return self._make_run(wakeup, wakeup.requested_at)
        wakeup.status, wakeup.run = "coalesced", run
        run.wakeups.append(wakeup)
        if run.status == "queued":
            self._promote(run, wakeup.kind, wakeup.source)
            if wakeup.by_person:
                run.retry_at = None  # Q21
        return run

    def _make_run(self, maker: Wakeup, requested_at: datetime) -> Run:
        run = Run(f"r{len(self.runs) + 1}", maker, maker.kind, requested_at)
        run.wakeups.append(maker)
        maker.run = run
        self.runs.append(run)
        return run

    def _promote(self, run: Run, kind: str, reason: str) -> None:
        if run.kind == "periodic" and kind == "event":
            run.kind, run.reason = kind, reason

    def _open_run(self, wakeup: Wakeup) -> Run | None:
        mine = [r for r in self.runs if r.open and r.agent is wakeup.agent]
        same = [r for r in mine if r.scope is wakeup.scope]
        if not same and wakeup.scope is None:
            same = [r for r in mine if r.task is None]
        return same[0] if same else None

    def _live_run(self, wakeup: Wakeup) -> Run | None:
        live = [
            r
            for r in self.live()
            if r.agent is wakeup.agent and r.scope is wakeup.scope and not r.solo and r.status != "stopping"
        ]
        events = [r for r in live if r.kind == "event"]
        if events or wakeup.kind == "periodic":
            found = events or live
            return found[-1] if found else None
        return None

    # What a run waits for (Q12, S5)

    def queued(self) -> list[Run]:
        return [run for run in self.runs if run.status == "queued"]

    def live(self) -> list[Run]:
        """The active runs: those that limits count."""
        return [run for run in self.runs if run.live]

    def waits(self, run: Run) -> list[str]:
        """Why a claim passes over it; who is before it is no such reason."""
        task, wakeups, why = run.task, run.wakeups, list[str]()
        if run.answered:
            return self._pauses(run)
        if run.retry_at and run.retry_at > self.now:
            why.append("retry")
        bursty = all(w.source in BURSTY for w in wakeups) and not run.retries
        if bursty and run.requested_at + COALESCING_WINDOW > self.now:
            why.append("window")
        if task and all(w.source in HELD_BY_BLOCKERS for w in wakeups):
            if task.snoozed_until and task.snoozed_until > self.now:
                why.append("snooze")
            if task.blocked:
                why.append("blocker")
        if task and task.lock and task.lock is not run and not self._loses_checkout(run):
            why.append("checkout")
        agent = run.agent
        if sum(r.agent is agent for r in self.live()) >= agent.capacity:
            why.append("capacity")
        if agent.last_end and agent.last_end + agent.cooldown > self.now:
            why.append("cooldown")
        if len(self.live()) >= self.slots:
            why.append("slots")
        return why + self._pauses(run)

    def _pauses(self, run: Run) -> list[str]:
        why = ["agent paused"] if run.agent.status == "paused" or run.agent.pausing else []
        return [*why, "workspace paused"] if self._is_paused() else why

    def _is_paused(self) -> bool:
        return self.paused or self.everything_paused

    def _loses_checkout(self, run: Run) -> bool:
        """Q13.5: an assignee's run against another assignee's that is not stopping."""
        holder = run.task.lock if run.task else None
        return bool(
            holder
            and holder is not run
            and run.for_assignee
            and holder.for_assignee
            and holder.status != "stopping"
            and self.on_conflict == "skip"
        )

    def stale(self, run: Run) -> str | None:
        """Q13.3, Q20: why it is not wanted: when all its wakeups are stale, the first one's reason."""
        if run.task is None:
            return None
        reasons = [self._stale(run, wakeup) for wakeup in run.wakeups]
        return reasons[0] if all(reasons) else None

    def _stale(self, run: Run, wakeup: Wakeup) -> str | None:
        task, addresses = run.task, wakeup.addresses
        assert task
        if task.deleted:
            return "task_not_found"
        if run.retries and addresses == "assignee" and task.state == "cancelled":
            return "retry_task_cancelled"
        if task.archived or (task.state in CLOSED and addresses != "mentioned"):
            return "task_terminal"
        if addresses == "assignee" and task.assignee is not run.agent:
            return "retry_stale_assignee" if run.retries else "assignee_changed"
        if addresses in ("reviewer", "approver") and (run.agent, addresses) not in task.participants:
            return "review_participant_changed"
        return None

    def settle(self, run: Run) -> bool:
        """Q13.2, Q13.3: a queued run that must not launch ends."""
        if run.agent.status == "stopped":
            self._end(run, "finished", "agent_stopped")
        elif reason := self.stale(run):
            self._end(run, "cancelled", reason)
        return run.status != "queued"

    # The claim (Q13)

    def claim(self, worker: Worker, most: int) -> list[Run]:
        self.dispatch()
        launched: list[Run] = []
        # Answered runs first, on the slots that they hold (S3).
        answered = [run for run in self.queued() if run.answered and not self.settle(run)]
        for run in sorted(answered, key=lambda r: (r.requested_at, r.id)):
            if len(launched) < most and not self.waits(run):
                run.status = run.result = "claimed"
                run.attempts[-1].worker = worker
                launched.append(run)
        while len(launched) < most:
            ready = [run for run in self.queued() if not run.answered and not self.waits(run)]
            if not ready:
                break
            run = min(ready, key=lambda r: (r.requested_at, r.id))
            if self.settle(run):
                continue
            if self._is_idle(run):
                self._end(run, "finished", "idle_skipped")
            elif self._loses_checkout(run):
                self._end(run, "finished", "checkout_lost")
            else:
                run.status = run.result = "claimed"
                run.retry_at = None
                run.attempts.append(Attempt(run, worker, len(run.wakeups)))
                if run.task:
                    run.task.lock = run
                launched.append(run)
        return launched

    def _is_idle(self, run: Run) -> bool:
        return (
            run.kind == "periodic"
            and not run.agent.leads
            and not any(
                task.assignee is run.agent
                and task.state in ("todo", "in_progress")
                and not task.archived
                and not task.deleted
                for task in self.tasks
            )
        )

    # Attempts and their ends (Q16 to Q18)

    def start(self, run: Run) -> None:
        attempt = run.attempts[-1]
        if attempt.left:
            attempt.untold = 0
        attempt.started, attempt.left = True, False
        if run.status == "claimed":
            run.status = run.result = "running"
            if run.task and run.task.state == "todo" and run.task.assignee is run.agent:
                self.changes.append((run.task, run.agent, "in_progress"))

    def ask(self, run: Run) -> None:
        run.status = run.result = "waiting"
        run.attempts[-1].open += 1

    def answer(self, run: Run) -> None:
        """D9: with the last answer it goes on, in its program or, without one, by the next claim."""
        attempt = run.attempts[-1]
        attempt.open -= 1
        attempt.untold += 1
        if not attempt.open:
            run.status = run.result = "queued" if attempt.left else "running"
            if (run.agent.status == "paused" and run.agent.paused_by == "person") or self._is_paused():
                self._stop_live(run, "paused")

    def _waits_on(self, run: Run, well: bool) -> bool:
        """D9: its program has ended, and it has not."""
        attempt = run.attempts[-1]
        if run.status == "waiting" and attempt.open:
            attempt.left = True
        elif run.status == "running" and attempt.untold and well:
            attempt.left = True
            run.status = run.result = "queued"
        elif run.status == "stopping" and run.stop_reason == "paused" and attempt.untold:
            attempt.left = True
            self._end_stopped(run)
        return attempt.left

    def finish(self, runs: list[Run]) -> None:
        for run in sorted(runs, key=lambda r: r.id):
            if self._waits_on(run, well=True) or run.status == "stopping":
                continue
            run.attempts[-1].outcome = "succeeded"
            run.agent.gave_up = 0
            self._end(run, "finished", "succeeded")
        for run in runs:
            if run.status == "stopping":
                self._end_stopped(run)

    def fail(self, run: Run, cause: str, limit: timedelta | None, retry_at: datetime | None) -> None:
        """Q18, Q19; the back-off's extra is drawn by the one that keeps it: `retry_at`."""
        if self._waits_on(run, well=False):
            return
        if run.status == "stopping":
            self._end_stopped(run)
        elif cause != "failure":
            run.attempts[-1].outcome = "blocked"
            self._end(run, "blocked", "blocked")
            self._escalate(run)
        elif run.retries < self.max_retries:
            run.attempts[-1].outcome = "failed"
            wait = limit + BUFFER if limit else BACK_OFF[min(run.retries, len(BACK_OFF) - 1)]
            run.retries += 1
            run.retry_at = self.now + wait
            if retry_at and not limit and self.now + wait <= retry_at <= self.now + wait * 1.25:
                run.retry_at = retry_at
            self._requeue(run)
        else:
            run.attempts[-1].outcome = "failed"
            self._end(run, "failed", "failed")
            if run.attempts[-1].started and not limit:
                self._count_give_up(run.agent)
            self._escalate(run)

    def _count_give_up(self, agent: Agent) -> None:
        """Q23: three in a row, and it is paused; what runs goes on."""
        agent.gave_up += 1
        if agent.gave_up >= AUTO_PAUSE_AFTER and agent.status == "active":
            agent.shut = True
            if not agent.pausing:
                agent.pausing = True
                self.changes.append((None, agent, "paused"))

    def _escalate(self, run: Run) -> None:
        leaders = [a for a in self.agents.values() if a.leads and a.status != "stopped"]
        if leaders and leaders[0] is not run.agent:
            self.wake(Wakeup(leaders[0], "agent_error", self.now), ("agent_error", run))

    def _over(self, run: Run) -> None:
        """Its attempt is over: lock and cooldown (Q17)."""
        run.agent.last_end = self.now
        if run.task and run.task.lock is run:
            run.task.lock = None

    def _end(self, run: Run, status: str, result: str) -> None:
        was_live = run.live
        run.status, run.result = status, result
        if was_live and run.attempts[-1].outcome is None:
            run.attempts[-1].outcome = "cancelled" if status == "cancelled" else "succeeded"
        if status != "interrupted":
            if was_live:
                self._carry_on_unseen(run)
            for wakeup in run.wakeups:
                if wakeup.status == "claimed":
                    wakeup.status = {"failed": "failed", "blocked": "failed", "cancelled": "cancelled"}.get(
                        status, "skipped" if result == "checkout_lost" else "finished"
                    )
                    wakeup.reason = None if result == "succeeded" else result
        if was_live:
            self._over(run)
        if status == "cancelled" and result in ("stopped", "dropped"):
            self._give_back(run)

    def _give_back(self, run: Run) -> None:
        """P6: its task is to be done again, unless its assignee still works on it, or is to."""
        task = run.task
        if not task or task.assignee is not run.agent:
            return
        begun = task.state == "in_progress" or (
            task.state == "todo" and (task, run.agent, "in_progress") in self.changes
        )
        others = [r for r in self.runs if r is not run and r.task is task and r.agent is run.agent]
        if begun and not any(r.live or r.status == "queued" for r in others):
            self.changes.append((task, run.agent, "todo"))

    def _carry_on_unseen(self, run: Run) -> None:
        """Q5."""
        shown = run.attempts[-1].shown
        unseen = [w for w in run.wakeups[shown:] if w.kind == "event" and w.status == "coalesced"]
        if not unseen or run.solo:
            return
        if reason := self._not_wanted(run, unseen[0]):
            for wakeup in unseen:
                wakeup.status, wakeup.reason = "cancelled", reason
            return
        run.wakeups = [w for w in run.wakeups if w not in unseen]
        first = unseen[0]
        into = next((r for r in self.runs if r.open and r.agent is run.agent and r.scope is run.scope), None)
        if into is None:
            first.status = "claimed"
            into = self._make_run(first, first.requested_at)
            into.task, into.scope = run.task, run.scope
            unseen = unseen[1:]
        else:
            self._promote(into, "event", first.source)
        for wakeup in unseen:
            wakeup.run = into
            into.wakeups.append(wakeup)

    def _not_wanted(self, run: Run, wakeup: Wakeup) -> str | None:
        if run.result == "stopped":
            return "stopped"
        if run.agent.status == "stopped":
            return "agent_stopped"
        task = run.task
        if task and task.deleted:
            return "task_not_found"
        if task and task.closed and (wakeup.addresses != "mentioned" or task.archived):
            return "task_terminal"
        if task and wakeup.addresses == "assignee" and task.assignee is not run.agent:
            return "assignee_changed"
        return None

    def _requeue(self, run: Run) -> None:
        """Back to queued. It and the scope's open run become one, the older (Q4)."""
        was_live = run.live
        other = next((r for r in self.runs if r.open and r.agent is run.agent and r.scope is run.scope), None)
        run.status = run.result = "queued"
        run.stop_reason = None
        if other and not run.solo:
            older, younger = sorted((run, other), key=self.runs.index)
            for wakeup in younger.wakeups[:]:
                if wakeup.status in ("claimed", "coalesced"):
                    wakeup.status, wakeup.run = "coalesced", older
                    younger.wakeups.remove(wakeup)
                    older.wakeups.append(wakeup)
            if younger.kind == "event":
                older.kind, older.reason = younger.kind, younger.reason
            younger.status, younger.result = "cancelled", "merged"
        if was_live:
            self._over(run)

    # Steering (P1, P2, P4)

    def set_agent(self, agent: Agent, status: str) -> None:
        if agent.status != status:
            agent.status, agent.paused_by = status, "person"
            self.signals.append(Signal("agent", agent=agent))

    def limit_agent(self, agent: Agent, capacity: int, cooldown: timedelta) -> None:
        if (agent.capacity, agent.cooldown) != (capacity, cooldown):
            agent.capacity, agent.cooldown = capacity, cooldown
            self.signals.append(Signal("agent", agent=agent))

    def set_slots(self, slots: int) -> None:
        self.slots = slots
        self.signals.append(Signal("setting"))

    def pause(self, everything: bool) -> None:
        if everything:
            self.everything_paused = True
        else:
            self.paused = True
        for run in self.live():
            self._stop_live(run, "paused")

    def resume(self, everything: bool) -> None:
        if everything:
            self.everything_paused = False
        else:
            self.paused = False

    def stop(self, runs: list[Run]) -> None:
        for run in runs:
            if run.status == "queued":
                self._end(run, "cancelled", "stopped")
            elif run.live:
                self._stop_live(run, "stopped")

    def stop_agent(self, agent: Agent) -> None:
        self.set_agent(agent, "stopped")
        self._follow(agent)
        for run in self.runs:
            if run.agent is agent and run.status == "queued":
                self.settle(run)
            elif run.agent is agent and run.live:
                self._stop_live(run, "stopped")

    def _stop_live(self, run: Run, reason: str) -> None:
        if (
            run.status in ("claimed", "running")
            or (run.status == "waiting" and reason != "paused")
            or (run.status == "stopping" and run.stop_reason == "paused")
        ):
            run.status = run.result = "stopping"
            run.stop_reason = reason
            if run.attempts[-1].left:
                self._end_stopped(run)

    def _end_stopped(self, run: Run) -> None:
        if run.stop_reason == "paused" and run.attempts[-1].left:
            run.status = run.result = "queued"
            run.stop_reason = None
            self.settle(run)
            return
        run.attempts[-1].outcome = "stopped"
        if run.stop_reason == "paused":
            self._requeue(run)
            if run.status == "queued":
                self.settle(run)
        else:
            assert run.stop_reason
            reasons = {"task_cancelled": "task_terminal", "assignee_changed": "assignee_changed"}
            self._end(run, "cancelled", reasons.get(run.stop_reason, "stopped"))

    def retry(self, run: Run) -> None:
        for wakeup in run.wakeups:
            if wakeup.status == "failed":
                wakeup.status, wakeup.reason = "claimed", None
        run.retries, run.retry_at = 0, None
        self._requeue(run)
        if run.status == "queued":
            self.settle(run)

    # Workers (Q22, P3)

    def register(self, id: str) -> Worker:
        self.workers.append(Worker(id, self.now + LEASE))
        return self.workers[-1]

    def beat(self, worker: Worker) -> None:
        worker.lease_until = self.now + LEASE

    def end_worker(self, worker: Worker) -> None:
        worker.ended = True
        for run in self.live():
            if run.attempts[-1].worker is worker:
                self._let_go(run)

    def sweep(self) -> None:
        if self.last_sweep and self.now < self.last_sweep + SWEEP:
            return
        slept = self.last_sweep is None or self.now > self.last_sweep + 2 * SWEEP
        self.last_sweep = self.now
        for worker in self.workers:
            if not worker.ended and slept:
                self.beat(worker)
            elif not worker.ended and worker.lease_until < self.now:
                self.end_worker(worker)

    def _let_go(self, run: Run) -> None:
        if run.status in ("running", "stopping") and self._waits_on(run, well=True):
            return
        if run.status == "stopping":
            self._end_stopped(run)
        elif run.status == "waiting":
            run.attempts[-1].left = True
        elif run.status == "claimed" and run.attempts[-1].left:
            run.status = run.result = "queued"
        elif run.status == "claimed":
            run.attempts[-1].outcome = "released"
            self._requeue(run)
        elif run.status == "running":
            run.attempts[-1].outcome = "interrupted"
            if self.on_interrupt == "retry":
                self._requeue(run)
            else:
                self._end(run, "interrupted", "interrupted")
