"""K1: wakeups through the whole life, from wake to finish, by one worker with set-based calls."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import psycopg
from server import Worker, furnish

WORKSPACES = 1_000
AGENTS = 10_000
WAKES_A_CALL = 1_000
RUNS_A_CLAIM = 200


@dataclass
class Figures:
    """Runs, and seconds spent on asking for them and on all that follows."""

    runs: int
    asking: float
    draining: float


def drain(dsn: str, wakeups: int, *, workspaces: int = WORKSPACES, agents: int = AGENTS) -> Figures:
    """Ask for `wakeups`, at most one an agent at a time so that none merges, and drain them, wave by wave."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        names = furnish(conn, workspaces, agents)
        worker = Worker(conn, RUNS_A_CLAIM)
        figures = Figures(0, 0.0, 0.0)
        while figures.runs < wakeups:
            wave = names[: wakeups - figures.runs]
            start = time.perf_counter()
            for first in range(0, len(wave), WAKES_A_CALL):
                requests = [
                    {"agent": agent, "workspace": workspace, "source": "user"}
                    for workspace, agent in wave[first : first + WAKES_A_CALL]
                ]
                conn.execute("select office.wake_many(%s)", [json.dumps(requests)])
            asked = time.perf_counter()
            done = 0
            while done < len(wave):
                attempts = worker.claim()
                worker.start(attempts)
                worker.finish(attempts)
                done += len(attempts)
            figures.runs += done
            figures.asking += asked - start
            figures.draining += time.perf_counter() - asked
        return figures
