"""K2: the time of one claim while many runs are queued that cannot start. The statistics stay old."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

import psycopg
from server import Connection, Worker, furnish

BUSY_AGENTS = 100
CLAIMS = 500


@dataclass
class Figures:
    """Milliseconds of a claim that finds one run."""

    queued: int
    median: float
    p99: float


def flat_claim(dsn: str, queued: int) -> Figures:
    """Queue `queued` runs of agents that are busy, then time claims of the one agent that is free."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        (free, *busy) = furnish(conn, 10, BUSY_AGENTS + 1)
        worker = Worker(conn, BUSY_AGENTS + 1)
        hold(conn, worker, busy)
        queue(conn, busy, queued)
        workspace, agent = free
        times = []
        for _ in range(CLAIMS):
            conn.execute("select office.wake(%s, workspace => %s)", [agent, workspace])
            start = time.perf_counter()
            attempts = worker.claim()
            times.append(1000 * (time.perf_counter() - start))
            assert len(attempts) == 1, "the free agent's run, and no other"
            worker.start(attempts)
            worker.finish(attempts)
        return Figures(queued, statistics.median(times), statistics.quantiles(times, n=100)[98])


def hold(conn: Connection, worker: Worker, agents: list[tuple[str, str]]) -> None:
    """Make every agent busy with one run that stays claimed."""
    for workspace, agent in agents:
        conn.execute("select office.wake(%s, workspace => %s)", [agent, workspace])
    held = 0
    while held < len(agents):
        held += len(worker.claim())


def queue(conn: Connection, agents: list[tuple[str, str]], runs: int) -> None:
    """Queue runs, each of a task of its own, evenly over the agents."""
    for workspace, agent in agents:
        conn.execute(
            """
            select office.create_task(title => 'Task ' || n, assignee => %s, workspace => %s)
            from generate_series(1, %s) as n
            """,
            [agent, workspace, runs // len(agents)],
        )
    conn.execute("select office.dispatch()")
