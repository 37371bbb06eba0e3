"""K3: the office at half and at full speed, while an old snapshot keeps dead rows from being removed."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle

import psycopg
from drain import AGENTS_A_WORKSPACE, RUNS_A_CLAIM
from furnish import Agent, Worker, furnish, wake

STEP = 0.05  # seconds between two requests of the one who asks
PAUSE = 0.005  # seconds, after a claim that found nothing


@dataclass
class Held:
    """Runs a second at full speed, and milliseconds from wake to launch at half of it; the same held."""

    speed: float
    speed_held: float
    latencies: list[float]
    latencies_held: list[float]
    backlog: int

    @property
    def p99(self) -> float:
        return statistics.quantiles(self.latencies, n=100)[98]

    @property
    def p99_held(self) -> float:
        return statistics.quantiles(self.latencies_held, n=100)[98]


@dataclass
class Pace:
    """One who asks and one who works, each with a connection, for some time."""

    dsn: str
    agents: Iterator[Agent]
    rate: float
    seconds: float
    asked: dict[Agent, float] = field(default_factory=dict)
    latencies: list[float] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> list[float]:
        asking = threading.Thread(target=self.ask)
        asking.start()
        try:
            self.work()
        finally:
            self.over.set()
            asking.join()
        return self.latencies

    def ask(self) -> None:
        with psycopg.connect(self.dsn, autocommit=True) as conn:
            start = time.perf_counter()
            asked = 0
            while not self.over.wait(STEP):
                passed = min(time.perf_counter() - start, self.seconds)
                batch = [next(self.agents) for _ in range(int(passed * self.rate) - asked)]
                if batch:
                    wake(conn, batch)
                    self.asked |= dict.fromkeys(batch, time.perf_counter())
                    asked += len(batch)
                if passed == self.seconds:
                    self.over.set()

    def work(self) -> None:
        """Until the time is over; what is queued then is the backlog."""
        with psycopg.connect(self.dsn, autocommit=True) as conn:
            worker = Worker(conn, RUNS_A_CLAIM)
            while not self.over.is_set():
                launches = worker.launches()
                now = time.perf_counter()
                for launch in launches:
                    asked = self.asked.pop((launch.workspace, launch.agent), now)
                    self.latencies.append(1000 * (now - asked))
                attempts = [launch.attempt for launch in launches]
                if attempts:
                    worker.start(attempts)
                    worker.finish(attempts)
                else:
                    time.sleep(PAUSE)


def hold(dsn: str, minutes: float, agents: int) -> Held:
    with psycopg.connect(dsn, autocommit=True) as conn:
        names = furnish(conn, agents // AGENTS_A_WORKSPACE, agents)
        worker = Worker(conn, RUNS_A_CLAIM)
        speed = full_speed(worker, names)
        turns = cycle(names)
        latencies = Pace(dsn, turns, speed / 2, 60 * minutes).run()
        worker.drain_all()
        with snapshot(dsn):
            held = Pace(dsn, turns, speed / 2, 60 * minutes).run()
            row = conn.execute("select count(*) from office.runs where status = 'queued'").fetchone()
            assert row is not None
            worker.drain_all()
            speed_held = full_speed(worker, names)
        wrong = conn.execute("select * from office.audit()").fetchall()
        assert not wrong, wrong
    return Held(speed, speed_held, latencies, held, row[0])


def full_speed(worker: Worker, agents: list[Agent]) -> float:
    """Runs a second, asking included, as at half speed both are done."""
    start = time.perf_counter()
    wake(worker.conn, agents)
    worker.drain(len(agents))
    return len(agents) / (time.perf_counter() - start)


@contextmanager
def snapshot(dsn: str) -> Iterator[None]:
    """A transaction that has looked, and stays open."""
    with psycopg.connect(dsn) as conn:
        conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        conn.execute("select count(*) from office.workspaces")
        yield
