"""Program: workers that claim, start, record, ask, end well and badly, forget, drain; each with a session.

python -m chaos.workers DSN LEDGER SLOT THREADS SEED
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from psycopg.types.json import Jsonb

from .crew import Orders, in_threads
from .furnish import FIXED_PROVIDER
from .ledger import Ledger
from .sessions import Lost, Refused, Row, Session

CARRY = 4
BEAT = 1.0
IDLE = 0.15
LOOK_AFTER = 1.0  # seconds between two looks for what was lost or left behind
WAIT_FOR_ANSWER = 2.0

TIMEOUTS = {
    "statement_timeout": "20s",
    "idle_in_transaction_session_timeout": "4s",  # a frozen one must not hold a gate for ever
}

AGENT_CALLS = (
    "select office.note_decision('So be it.')",
    "select office.wake(%(agent)s, 'self', '{\"reason\": \"more to do\"}')",
    "select office.create_task('From inside', assignee => %(agent)s)",
    "select office.request_approval('skill', 'May I?')",
    "select office.add_comment(%(task)s, 'Under way.')",
    "select office.complete_task(%(task)s, 'Done.')",
    "select office.read_task(%(task)s)",
)


class Launch:
    """One launch that a worker carries: what is still to be done, one thing after the other."""

    def __init__(self, row: Row, worker: Worker, plan: list[Callable[[Launch], None]]) -> None:
        self.run = row["run"]
        self.attempt = row["attempt_id"]
        self.number = row["launch"]
        self.token = row["token"]
        self.names = {"agent": row["agent"], "task": row["task"]}
        self.resume = row["resume"]
        self.provider = row["executor"].get("provider")
        self.worker = worker
        self.plan = plan
        self.ready_at = 0.0
        self.sequence = row["steps"]


class Worker:
    """One thread's: registered, and again whenever it was ended."""

    def __init__(self, dsn: str, ledger: Ledger, host: str, orders: Orders, dice: random.Random) -> None:
        self.session = Session(dsn, f"chaos {ledger.writer}", ledger, **TIMEOUTS)
        self.ledger = ledger
        self.host = host
        self.orders = orders
        self.dice = dice
        self.id: Any = None
        self.carried: dict[Any, Launch] = {}
        self.beat_at = 0.0
        self.look_at = 0.0

    def live(self) -> None:
        while not self.orders.over.is_set():
            try:
                if self.id is None:
                    self.register()
                self.work()
            except Lost:
                continue
            except Refused as error:
                if "worker ended" in str(error):
                    self.leave()
                self.orders.pause(0.05)
        self.end()

    def register(self) -> None:
        (row,) = self.session.rows(
            "select * from office.register_worker(%s, %s, max_runs => %s)", self.host, os.getpid(), CARRY
        )
        self.id = row["worker_id"]
        self.ledger.note("registered", worker=self.id)
        self.look_at = 0.0

    def look_after(self) -> None:
        """What no answer brought is given back; what ended workers of the host left is cleaned up (P7)."""
        self.session.rows("select office.give_back(%s, %s)", self.id, list(self.carried))
        for row in self.session.rows(
            "select attempt_id as attempt, launch from office.abandoned_attempts(%s)", self.host
        ):
            # It was none of a program's here: nothing can be left of it.
            self.session.rows(
                "select office.confirm_cleanup(%s, launch => %s)", row["attempt"], row["launch"]
            )
        self.look_at = time.monotonic() + LOOK_AFTER

    def leave(self) -> None:
        """It has ended; whatever it carried is not its own any more."""
        self.carried.clear()
        self.id = None

    def end(self) -> None:
        try:
            if self.id is not None:
                self.session.rows("select office.drain_worker(%s)", self.id)
        except (Lost, Refused):
            pass
        self.session.close()

    def work(self) -> None:
        now = time.monotonic()
        if now > self.beat_at:
            self.beat()
            self.beat_at = now + BEAT
        if now > self.look_at:
            self.look_after()
        if not self.orders.calm.is_set() and self.dice.random() < 0.001:
            self.session.rows("select office.drain_worker(%s)", self.id)
            self.ledger.note("did", kind="drain_worker")
            self.leave()
            return
        busy = self.claim()
        for launch in list(self.carried.values()):
            if launch.ready_at < time.monotonic():
                busy = True
                self.advance(launch)
        if not busy:
            self.orders.pause(self.dice.uniform(0, IDLE))

    def beat(self) -> None:
        for row in self.session.rows("select * from office.heartbeat(%s, %s)", self.id, list(self.carried)):
            launch = self.carried.get(row["attempt_id"])
            if launch is None:
                continue
            if row["instruction"] == "lost":
                launch.plan = [clean]
            else:
                launch.plan = [finish, clean]
            launch.ready_at = 0.0

    def claim(self) -> bool:
        room = CARRY - len(self.carried)
        if room <= 0:
            return False
        try:
            rows = self.session.rows(
                "select run, attempt_id, launch, agent, task, executor, resume, token, steps"
                " from office.claim_runs(%s, %s) where run_id is not null",
                self.id,
                self.dice.randint(1, room),
            )
        except Lost:
            # Whatever it was given did not arrive.
            self.look_at = 0.0
            raise
        for row in rows:
            self.ledger.note(
                "launched", run=row["run"], attempt=row["attempt_id"], worker=self.id, resume=row["resume"]
            )
            launch = Launch(row, self, self.plan(row))
            if launch.plan:
                self.carried[launch.attempt] = launch
        return bool(rows)

    def plan(self, row: Row) -> list[Callable[[Launch], None]]:
        """What becomes of a launch, by luck; none: it is forgotten, and given back."""
        if self.orders.calm.is_set():
            return [start, finish, clean]
        luck = self.dice.random()
        if luck < 0.02:
            return []
        if luck < 0.05:
            return [self.dice.choice([finish, fail, misconfigured]), clean]
        plan = [start] + [record] * self.dice.randrange(3)
        if self.dice.random() < 0.25:
            plan.append(act)
        if self.dice.random() < 0.1:
            plan.append(add_resource)
        asks = 0.15 if row["executor"].get("provider") != FIXED_PROVIDER[0] else 0
        if self.dice.random() < asks:
            # A program that waits for its answer, or that leaves; then the answer launches it again.
            return [*plan, ask, *([wait] if self.dice.random() < 0.5 else []), finish, clean]
        return [*plan, self.dice.choices(ENDS, weights=[60, 20, 10, 2, 1, 1])[0], clean]

    def advance(self, launch: Launch) -> None:
        """Its next step; what was lost is tried again, what is refused for good ends it here."""
        step = launch.plan[0]
        try:
            step(launch)
        except Refused as error:
            if error.again:
                return
            if step not in (act, add_resource):
                # Whatever it is refused, the program ends, and says so once.
                launch.plan = [step, clean] if step in ENDS else [step, finish, clean]
        launch.plan = launch.plan[1:]
        if not launch.plan:
            del self.carried[launch.attempt]
            return
        slow = 2.0 if self.dice.random() < 0.1 and not self.orders.calm.is_set() else 0.15
        launch.ready_at = max(launch.ready_at, time.monotonic() + self.dice.uniform(0, slow))


def evidence(launch: Launch, statement: str, *values: object) -> None:
    """A call that only a live attempt is granted; the moment before it is the proof's."""
    at = time.monotonic()
    launch.worker.session.rows(statement, *values)
    launch.worker.ledger.note("alive", at=at, run=launch.run, attempt=launch.attempt, worker=launch.worker.id)


def start(launch: Launch) -> None:
    evidence(launch, "select office.start_attempt(%s, 1, launch => %s)", launch.attempt, launch.number)


def record(launch: Launch) -> None:
    launch.sequence += 1
    step = {"sequence": launch.sequence, "kind": "output", "content": "on it"}
    evidence(launch, "select office.record_steps(%s, %s, %s)", launch.attempt, Jsonb([step]), launch.number)


def add_resource(launch: Launch) -> None:
    evidence(launch, "select office.add_resource(%s, 'folder:server:/srv/chaos')", launch.attempt)


def as_agent(launch: Launch, statement: str) -> list[Row]:
    return launch.worker.session.together(
        [("select office.act_with(%s)", [launch.token]), (statement, launch.names)]
    )


def act(launch: Launch) -> None:
    statement = launch.worker.dice.choice(AGENT_CALLS)
    as_agent(launch, statement)
    launch.worker.ledger.note("did", kind="agent's " + statement.split("office.")[1].split("(")[0])


def ask(launch: Launch) -> None:
    (row,) = as_agent(launch, "select * from office.ask('Go on?')")
    launch.worker.ledger.note("asked", decision=row["decision"], attempt=launch.attempt)


def wait(launch: Launch) -> None:
    """For the answer, for a while; the heartbeat may tell of it sooner."""
    launch.ready_at = time.monotonic() + WAIT_FOR_ANSWER


def ended(launch: Launch, how: str, row: Row) -> None:
    launch.worker.ledger.note(
        "ended",
        how=how,
        run=launch.run,
        attempt=launch.attempt,
        status=row["status"],
        worker=launch.worker.id,
    )


def finish(launch: Launch) -> None:
    (row,) = launch.worker.session.rows(
        "select * from office.finish_attempt(%s, launch => %s)", launch.attempt, launch.number
    )
    ended(launch, "finish", row)


def finish_many(launch: Launch) -> None:
    (row,) = launch.worker.session.rows(
        "select * from office.finish_attempts(%s)",
        Jsonb([{"attempt_id": str(launch.attempt), "launch": launch.number}]),
    )
    if row["refused"] is None:
        ended(launch, "finish", row)


def _fail(launch: Launch, error: str, cause: str = "failure") -> None:
    (row,) = launch.worker.session.rows(
        "select * from office.fail_attempt(%s, %s, %s, launch => %s)",
        launch.attempt,
        error,
        cause,
        launch.number,
    )
    ended(launch, "fail", row)


def fail(launch: Launch) -> None:
    _fail(launch, "it broke")


def hit_limit(launch: Launch) -> None:
    _fail(launch, "rate limit exceeded, try again in 2 seconds")


def misconfigured(launch: Launch) -> None:
    _fail(launch, "no such program", "configuration")


def use_up(launch: Launch) -> None:
    _fail(launch, "it took too long", "limit")


ENDS = [finish, finish_many, fail, hit_limit, misconfigured, use_up]


def clean(launch: Launch) -> None:
    launch.worker.session.rows(
        "select office.confirm_cleanup(%s, launch => %s)", launch.attempt, launch.number
    )


def main() -> None:
    dsn, path, slot, threads, seed = sys.argv[1:]
    orders, ledger = Orders(), Ledger(Path(path))
    in_threads(
        int(threads),
        lambda nth: Worker(dsn, ledger, f"chaos-{slot}", orders, random.Random(f"{seed} {nth}")).live(),
    )


if __name__ == "__main__":
    main()
