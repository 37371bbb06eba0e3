"""K6: throughput as workers are added, and whether the limits hold."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from datetime import datetime
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from typing import LiteralString

import psycopg
from furnish import SLOTS, Agent, Worker, furnish, wake
from server import Connection

RUNS_A_CLAIM = 20
PAUSE = 0.01  # seconds, after a claim that found nothing and says to ask again
PATIENCE = 0.2  # seconds to wait for a notification

UNDER_WAY = """
select exists (select from office.wakeups where status = 'queued')
  or exists (select from office.runs where status = 'queued')
"""
# Most live attempts at one time, of a workspace and of an agent, as the gates saw them.
MOST = """
select max(s.in_workspace), max(s.of_agent)
from (
  select
    sum(e.step) over (partition by r.workspace_id order by e.at, e.step) as in_workspace,
    sum(e.step) over (partition by r.agent_id order by e.at, e.step) as of_agent
  from office.attempts as a
  join office.runs as r on r.id = a.run_id
  cross join lateral (values (a.claimed_at, 1), (a.ended_at, -1)) as e (at, step)
) as s
"""


@dataclass
class Rate:
    """Runs a second of so many workers."""

    workers: int
    rate: float


def contend(dsn: str, workspaces: int, workers: list[int], runs: int) -> list[Rate]:
    """Drain `runs` wakeups by each number of workers, one after the other, in an office of its own."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        agents = furnish(conn, workspaces, runs)
        rates = [Rate(count, drain(dsn, conn, agents, count)) for count in workers]
        check(conn, runs * len(workers) + sum(workers))
    return rates


def drain(dsn: str, conn: Connection, agents: list[Agent], workers: int) -> float:
    wake(conn, agents[:workers])
    context = get_context("spawn")
    barrier = context.Barrier(workers + 1)
    processes = [context.Process(target=work, args=(dsn, barrier)) for _ in range(workers)]
    for process in processes:
        process.start()
    barrier.wait()
    wake(conn, agents)
    barrier.wait()
    start = moment(conn, "clock_timestamp()")
    for process in processes:
        process.join()
    assert not any(process.exitcode for process in processes), "a worker failed"
    return len(agents) / (moment(conn, "max(ended_at) from office.attempts") - start).total_seconds()


def moment(conn: Connection, what: LiteralString) -> datetime:
    row = conn.execute(f"select {what}").fetchone()
    assert row is not None and isinstance(row[0], datetime)
    return row[0]


def work(dsn: str, barrier: Barrier) -> None:
    """A worker process: one run, by which its session has made its plans, then until nothing is left."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        warm_up(Worker(conn, 1))
        worker = Worker(conn, RUNS_A_CLAIM)
        conn.execute("listen office_work")
        barrier.wait()
        barrier.wait()
        while True:
            attempts = worker.claim()
            if attempts:
                worker.start(attempts)
                worker.finish(attempts)
            elif worker.more:
                time.sleep(PAUSE)
            elif any(conn.notifies(timeout=PATIENCE, stop_after=1)):
                # However often it rang meanwhile, one claim answers, as in the office's own workers.
                deque(conn.notifies(timeout=0), maxlen=0)
            elif conn.execute(UNDER_WAY).fetchone() != (True,):
                return


def warm_up(worker: Worker) -> None:
    """See one run through, however long others take all there is room for."""
    while not (attempts := worker.claim()):
        time.sleep(PAUSE)
    worker.start(attempts)
    worker.finish(attempts)


def check(conn: Connection, runs: int) -> None:
    """All ended well, and no limit was exceeded at any time."""
    assert conn.execute("select count(*) from office.runs where result = 'succeeded'").fetchone() == (runs,)
    row = conn.execute(MOST).fetchone()
    assert row is not None and row[0] <= SLOTS and row[1] <= 1, f"{row} at once, of {SLOTS} and 1"
    wrong = conn.execute("select * from office.audit()").fetchall()
    assert not wrong, wrong
