"""K9: ten seconds of everything at once, by threads with sessions of their own; then the books."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable

import psycopg
import pytest

from .conftest import Connection, Office, together

SECONDS = 10
AGENTS = 20
WORKSPACES = 4
SLOTS = 3
KEYS = 200
# What a rule may answer when somebody else was first, and "try again" (A6).
ANSWERS = {"PT409", "PT404", "40P01", "40001", "55P03"}


class Soak:
    """Acts that are repeated until the time is over, and what came back."""

    def __init__(self, office: Office, seed: int) -> None:
        self.office = office
        self.seed = seed
        self.end = 0.0
        self.answers: Counter[str | None] = Counter()
        self.wakeups: Counter[object] = Counter()
        self.keys: dict[str, set[object]] = {}
        self._lock = threading.Lock()

    def furnish(self) -> None:
        for n in range(WORKSPACES):
            self.office.rows("select office.create_workspace(%s)", f"w{n}")
            self.office.rows("select office.set_setting('max_concurrent_runs', %s, %s)", str(SLOTS), f"w{n}")
            self.office.rows("select office.set_setting('coalescing_window_seconds', '0', %s)", f"w{n}")
        for n in range(AGENTS):
            self.office.agent(f"a{n}", capacity=1 + n % 2, workspace=f"w{n % WORKSPACES}")
        for n in range(AGENTS):
            self.office.rows(
                "select office.create_task('Work', assignee => %s, workspace => %s)", *self.someone(n)
            )

    @staticmethod
    def someone(n: int) -> tuple[str, str]:
        return f"a{n}", f"w{n % WORKSPACES}"

    def repeat(self, act: Callable[[Connection, random.Random], None], number: int) -> Callable[[], None]:
        dice = random.Random(f"{self.seed} {act.__name__} {number}")
        session = self.office.session(patient=True)

        def run() -> None:
            while time.monotonic() < self.end:
                try:
                    act(session, dice)
                except psycopg.Error as error:
                    assert error.sqlstate in ANSWERS, error
                    with self._lock:
                        self.answers[error.sqlstate] += 1

        return run

    def wake(self, session: Connection, dice: random.Random) -> None:
        """With a key and without, now and then in a transaction that rolls back or stays open."""
        agent, workspace = self.someone(dice.randrange(AGENTS))
        key = f"k{dice.randrange(KEYS)}" if dice.random() < 0.3 else None
        kept = dice.random() > 0.1
        with session.transaction(force_rollback=not kept):
            row = session.execute(
                "select * from office.wake(%s, idempotency_key => %s, workspace => %s)",
                [agent, key, workspace],
            ).fetchone()
            assert row is not None
            if dice.random() < 0.05:
                session.execute("select pg_sleep(0.1)")
        if kept:
            with self._lock:
                self.wakeups[row["wakeup_id"]] += not row["duplicate"]
                if key:
                    self.keys.setdefault(f"{workspace} {key}", set()).add(row["wakeup_id"])

    def work(self, session: Connection, dice: random.Random) -> None:
        """A worker's life: some runs fail, some workers shut down, and one is said to be dead."""
        worker = self.office.worker(session)
        while time.monotonic() < self.end:
            for launch in worker.claim(dice.randrange(1, 4)):
                try:
                    luck = dice.random()
                    if luck > 0.02:
                        worker.start(launch)
                    session.execute("select office.carry_out()")
                    if luck < 0.05:
                        worker.fail(launch, "configuration")
                    elif luck < 0.15:
                        worker.fail(launch)
                    else:
                        worker.finish(launch)
                except psycopg.Error as error:
                    assert error.sqlstate in ANSWERS, error
                    with self._lock:
                        self.answers[error.sqlstate] += 1
            if dice.random() < 0.01:
                worker.drain()
                break

    def disturb(self, session: Connection, dice: random.Random) -> None:
        """Stop, retry, reassign, move, pause, dispatch, expire: one of them."""
        here, there = self.someone(dice.randrange(AGENTS)), dice.randrange(AGENTS)
        a_run = (
            "from (select number from office.runs where status in ('running', 'queued')"
            " order by random() limit 1) as r"
        )
        acts: list[tuple[str, list[object]]] = [
            (f"select office.stop('r' || number) {a_run}", []),
            (
                "select office.retry_run('r' || number) from (select number from office.runs"
                " where status in ('blocked', 'interrupted') order by random() limit 1) as r",
                [],
            ),
            (
                "update office.tasks set assignee_agent_id = (select id from office.agents where name = %s)"
                " where number = %s and workspace_id = (select id from office.workspaces where name = %s)",
                [f"a{there}", 1 + there, f"w{there % WORKSPACES}"],
            ),
            (
                "select office.move_task('t' || number, %s) from office.tasks where number = %s",
                [dice.choice(["todo", "in_progress", "done"]), 1 + dice.randrange(AGENTS)],
            ),
            (
                "update office.agents"
                " set status = case when status = 'active' then 'paused' else 'active' end"
                " where name = %s",
                [here[0]],
            ),
            ("select office.dispatch()", []),
            (
                "select office.expire_worker(id) from (select id from office.workers where ended_at is null"
                " order by random() limit 1) as w",
                [],
            ),
        ]
        statement, values = dice.choices(acts, weights=[3, 8, 6, 8, 4, 4, 1])[0]
        session.execute(statement.encode(), values)

    def run(self) -> None:
        self.end = time.monotonic() + SECONDS
        acts = [(self.wake, 8), (self.work, 8), (self.disturb, 4)]
        together(*[self.repeat(act, n) for act, number in acts for n in range(number)])

    def drain(self) -> None:
        """Let everybody work again, and everything that waits come to its end."""
        self.office.rows("update office.agents set status = 'active'")
        self.office.rows("select office.expire_worker(id) from office.workers where ended_at is null")
        while True:
            self.office.settle()
            self.office.rows(
                "update office.runs set scheduled_retry_at = null, parked = null, due_at = null"
                " where parked = 'retry'"
            )
            self.office.rows(
                "select office.retry_run('r' || number) from office.runs"
                " where status in ('blocked', 'interrupted')"
            )
            if not self.office.rows("select from office.runs where ended_at is null or status = 'blocked'"):
                return


@pytest.mark.slow
def test_nothing_lost_nothing_twice_no_limit_passed(office: Office) -> None:
    """K9, Q26, S1, Q3, Q8."""
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    soak = Soak(office, seed)
    soak.furnish()
    soak.run()
    assert office.audit() == []
    soak.drain()
    print(soak.answers, office.rows("select result, count(*) from office.runs group by 1"))

    stored = {row["id"] for row in office.rows("select id from office.wakeups")}
    assert soak.wakeups.keys() <= stored, "what was answered is there"
    assert set(soak.wakeups.values()) == {1}, "and was made once"
    assert all(len(ids) == 1 for ids in soak.keys.values()), "one key, one wakeup"
    assert office.rows("select id, status from office.wakeups where status in ('queued', 'claimed')") == []
    assert unaccounted(office) == []
    assert too_many_at_once(office, "workspace_id", "g.slots") == []
    assert too_many_at_once(office, "agent_id", "l.capacity") == []
    assert office.value("select count(*) from office.checkouts") == 0
    assert office.value("select count(*) from office.runs where status = 'finished'") > 50, "it was a soak"


def unaccounted(office: Office) -> list[object]:
    """Wakeups that no prompt has shown and that nobody gave a reason for not showing (Q26)."""
    return list(
        office.rows(
            """
            select w.id, w.source, w.status, w.position, r.number, r.result, a.shown_wakeups
            from office.wakeups as w
            left join office.runs as r on r.id = w.run_id
            left join office.attempts as a on a.id = r.attempt_id
            where not coalesce(w.position <= a.shown_wakeups, false)
              and w.reason is null
              -- A run that was cancelled or skipped says why for all that it carries.
              and coalesce(r.cancel_reason, nullif(r.outcome, 'succeeded')) is null
            """
        )
    )


def too_many_at_once(office: Office, per: str, limit: str) -> list[object]:
    """Instants with more live attempts than the limit, by times that were read under the gate (K9)."""
    return list(
        office.rows(
            f"""
            select * from (
              select at, sum(change) over (partition by {per} order by at, change) as live, most
              from (
                select r.{per}, t.at, t.change, {limit} as most
                from office.attempts as a
                join office.runs as r on r.id = a.run_id
                join office_internal.gates as g on g.workspace_id = r.workspace_id
                join office_internal.lanes as l on l.agent_id = r.agent_id
                cross join lateral (values (a.claimed_at, 1), (a.ended_at, -1)) as t (at, change)
              ) as changes
            ) as swept
            where live > most
            """
        )
    )
