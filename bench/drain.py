"""K1, our side: wakeups through the whole life, from wake to finish, by one worker."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import psycopg
from furnish import SLOTS, Worker, furnish, wake
from server import Connection

AGENTS = 10_000
AGENTS_A_WORKSPACE = 10
RUNS_A_CLAIM = 200

PROFILE = """
select funcname, calls, total_time, self_time
from pg_stat_user_functions
order by self_time desc
limit 30
"""


@dataclass
class Tally:
    """A count that several threads add to."""

    count: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, some: int) -> None:
        with self.lock:
            self.count += some


@dataclass
class Drained:
    """Runs, and seconds spent on asking for them and on all that follows."""

    runs: int
    asking: float = 0
    draining: float = 0
    spent: dict[str, float] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    profile: list[Any] = field(default_factory=list)


def drain(
    dsn: str,
    wakeups: int,
    *,
    agents: int = AGENTS,
    slots: int = SLOTS,
    runs_a_claim: int = RUNS_A_CLAIM,
    connections: int = 1,
    profile: bool = False,
) -> Drained:
    """Ask for `wakeups`, at most one an agent at a time so that none merges, and drain them, wave by wave.

    One worker process with so many connections, each of which claims, starts and finishes.
    """
    with psycopg.connect(dsn, autocommit=True) as conn:
        names = furnish(conn, agents // AGENTS_A_WORKSPACE, agents, slots=slots)
        worker = Worker(conn, runs_a_claim)
        worker.drain_all()
        worker.spent.clear()
        worker.calls.clear()
        if profile:
            conn.execute("set track_functions = 'all'")
            conn.execute("select pg_stat_reset()")
        drained = Drained(wakeups)
        for first in range(0, wakeups, agents):
            wave = names[: wakeups - first]
            start = time.perf_counter()
            wake(conn, wave)
            asked = time.perf_counter()
            if connections == 1:
                worker.drain(len(wave))
            else:
                drain_together(dsn, worker, connections, len(wave))
            drained.asking += asked - start
            drained.draining += time.perf_counter() - asked
        drained.spent, drained.calls = dict(worker.spent), dict(worker.calls)
        if profile:
            drained.profile = read_profile(conn)
        check(conn, wakeups)
        return drained


def drain_together(dsn: str, worker: Worker, connections: int, runs: int) -> None:
    """Claim, start and finish on several connections of one process, until so many runs have ended."""
    ended = Tally()

    def work() -> None:
        with psycopg.connect(dsn, autocommit=True) as conn:
            mine = Worker(conn, worker.max_runs, of=worker)
            while ended.count < runs:
                attempts = mine.claim()
                mine.start(attempts)
                mine.finish(attempts)
                ended.add(len(attempts))

    with ThreadPoolExecutor(connections) as pool:
        for done in [pool.submit(work) for _ in range(connections)]:
            done.result()


def read_profile(conn: Connection) -> list[Any]:
    """Function, calls, milliseconds with and without what it calls."""
    conn.execute("select pg_stat_force_next_flush()")
    conn.execute("select pg_stat_clear_snapshot()")
    return conn.execute(PROFILE).fetchall()


def check(conn: Connection, runs: int) -> None:
    """All ended well, and the books are in order."""
    row = conn.execute("select count(*) from office.runs where result = 'succeeded'").fetchone()
    assert row == (runs,), f"{row} runs succeeded, not {runs}"
    wrong = conn.execute("select * from office.audit()").fetchall()
    assert not wrong, wrong
