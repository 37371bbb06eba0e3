"""Offices to measure: workspaces and agents by set, and a worker's part in the database, with no program."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, LiteralString, NamedTuple
from uuid import UUID

from server import Connection

Agent = tuple[str, str]  # workspace, name
SLOTS = 3  # of a workspace, as it is without being asked
WAKES_A_CALL = 1_000


def furnish(conn: Connection, workspaces: int, agents: int, *, slots: int = SLOTS) -> list[Agent]:
    """Make workspaces with agents spread over them, cooldown 0, lanes made; returns the agents.

    Plain INSERTs, as anybody may write them: the triggers do the rest.
    """
    conn.execute("select office.set_setting('max_concurrent_runs', %s, 'office')", [str(slots)])
    conn.execute(
        """
        with made as (
          insert into office.workspaces (name, owner_account_id)
          select 'w' || n, a.id
          from office.accounts as a, generate_series(1, %s) as n
          where a.name = 'system'
          returning id, owner_account_id
        )
        insert into office.members (workspace_id, account_id, role)
        select made.id, made.owner_account_id, 'owner' from made
        """,
        [workspaces],
    )
    conn.execute(
        """
        insert into office.agents (workspace_id, name, executor, cooldown_sec)
        select w.id, 'a' || n, '{"command": ["true"]}', 0
        from generate_series(1, %s) as n
        join office.workspaces as w on w.name = 'w' || 1 + (n - 1) %% %s
        """,
        [agents, workspaces],
    )
    dispatch(conn)
    conn.execute("vacuum analyze")
    return [(f"w{1 + n % workspaces}", f"a{1 + n}") for n in range(agents)]


def dispatch(conn: Connection) -> None:
    """Let everything that was asked for become runs and lanes."""
    conn.execute("select office.dispatch()")


def wake(conn: Connection, agents: Sequence[Agent]) -> None:
    """Ask for a wakeup of each."""
    for first in range(0, len(agents), WAKES_A_CALL):
        requests = [
            {"agent": agent, "workspace": workspace, "source": "user"}
            for workspace, agent in agents[first : first + WAKES_A_CALL]
        ]
        conn.execute("select office.wake_many(%s)", [json.dumps(requests)])


class Launch(NamedTuple):
    attempt: UUID
    workspace: str
    agent: str


class Worker:
    """One worker process's part in the database."""

    def __init__(self, conn: Connection, max_runs: int, *, of: Worker | None = None) -> None:
        """`of`: another connection of that worker's process."""
        self.conn = conn
        self.max_runs = max_runs
        self.more = True  # whether the last claim said to ask again at once
        self.spent: defaultdict[str, float] = defaultdict(float)  # seconds, by kind of call
        self.calls: Counter[str] = Counter()
        if of is not None:
            self.id: UUID = of.id
            return
        row = conn.execute(
            "select worker_id from office.register_worker(host => 'bench', max_runs => %s)", [max_runs]
        ).fetchone()
        assert row is not None
        self.id = row[0]

    def claim(self) -> list[UUID]:
        """Attempts of the runs that were claimed."""
        return [launch.attempt for launch in self.launches()]

    def launches(self) -> list[Launch]:
        """Claim; everything that a launcher needs is fetched."""
        with self.timed("claim_runs"):
            rows = self.conn.execute(
                "select attempt_id, workspace, agent, next_due_at <= clock_timestamp(), c.* "
                "from office.claim_runs(%s, %s) as c",
                [self.id, self.max_runs],
            ).fetchall()
        self.more = bool(rows[-1][3])
        return [Launch(*row[:3]) for row in rows if row[0] is not None]

    def start(self, attempts: list[UUID]) -> None:
        self.tell("start_attempts", [{"attempt_id": str(attempt)} for attempt in attempts])

    def finish(self, attempts: list[UUID]) -> None:
        end = {"result": {"summary": "done"}, "exit_code": 0}
        self.tell("finish_attempts", [{"attempt_id": str(attempt), **end} for attempt in attempts])

    def tell(self, function: LiteralString, items: list[dict[str, Any]]) -> None:
        with self.timed(function):
            rows: list[Any] = self.conn.execute(
                f"select refused from office.{function}(%s)", [json.dumps(items)]
            ).fetchall()
        assert rows == [(None,)] * len(items), "nothing is refused"

    def drain(self, runs: int) -> None:
        """Claim, start and finish until so many have ended."""
        done = 0
        while done < runs:
            attempts = self.claim()
            assert attempts or self.more, f"{runs - done} runs cannot be claimed"
            if attempts:
                self.start(attempts)
                self.finish(attempts)
                done += len(attempts)

    def drain_all(self) -> None:
        """Until nothing can be claimed."""
        while (attempts := self.claim()) or self.more:
            if attempts:
                self.start(attempts)
                self.finish(attempts)

    @contextmanager
    def timed(self, call: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.spent[call] += time.perf_counter() - start
        self.calls[call] += 1
