"""What is done to it, every few seconds: each fault a real one, and only to processes of this run."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import psutil
import psycopg
from psycopg.rows import dict_row

from officectl.database.embedded import Cluster
from officectl.errors import OfficeError

from .crew import Crew, Process, frozen
from .furnish import AGENTS, SETTINGS, workspace_of
from .ledger import Ledger

LEASE = int(SETTINGS["worker_lease_seconds"]) + int(SETTINGS["sweep_seconds"])
OURS = "application_name like 'chaos %%' or application_name like 'officectl%%'"
HELD = (2.0, 6.0)


@dataclass
class Faults:
    """One at a time, but those that last go on beside the others."""

    cluster: Cluster
    crew: Crew
    ledger: Ledger
    dice: random.Random
    lasting: list[threading.Thread] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def connect(self, **options: Any) -> psycopg.Connection[dict[str, Any]]:
        return psycopg.connect(self.cluster.ensure(), row_factory=dict_row, autocommit=True, **options)

    def make_trouble(self, seconds: float, pause: tuple[float, float]) -> None:
        """Every kind of fault, in turns of random order, until the time is over; each at least once."""
        end = time.monotonic() + seconds
        turn = KINDS
        while turn is KINDS or time.monotonic() < end:
            for kind in turn:
                self.over.wait(self.dice.uniform(*pause))
                if turn is not KINDS and time.monotonic() > end:
                    break
                self.crew.replace_the_dead()
                kind(self)
            turn = self.dice.sample(KINDS, len(KINDS))
        for thread in self.lasting:
            thread.join()

    def note(self, kind: str, **facts: Any) -> float:
        """Answers the wall-clock time, by which the fault is known."""
        wall = time.time()
        self.ledger.note("fault", kind=kind, wall=wall, **facts)
        return wall

    def last(self, act: Callable[[], None]) -> None:
        """Do it beside the faults that follow."""

        def run() -> None:
            try:
                act()
            except (psycopg.OperationalError, OfficeError) as error:
                # The server went away under it, by another fault.
                self.ledger.note("cut short", error=str(error))

        thread = threading.Thread(target=run)
        thread.start()
        self.lasting.append(thread)

    def pick(self, role: str) -> Process:
        """One of them, none that is frozen while there is another."""
        members = self.crew.of(role)
        return self.dice.choice([member for member in members if not member.frozen] or members)

    def victim(self) -> dict[str, Any]:
        """A backend of the crew's; right after a start of the server there is none for a moment."""
        with self.connect() as conn:
            while True:
                victim = conn.execute(
                    f"select pid, application_name as name from pg_stat_activity"
                    f" where ({OURS}) and datname = current_database() order by random() limit 1".encode()
                ).fetchone()
                if victim:
                    return victim
                self.over.wait(0.05)


def kill_worker(faults: Faults) -> None:
    """kill -9 of a process with several workers, whatever they are at."""
    member = faults.pick("workers")
    faults.note("kill -9 of a worker", pid=member.pid)
    faults.crew.kill(member)


def kill_serve(faults: Faults) -> None:
    """kill -9 of `officectl serve`, with programs beside it."""
    member = faults.pick("serve")
    faults.note("kill -9 of officectl serve", pid=member.pid)
    faults.crew.kill(member)


def terminate_backends(faults: Faults) -> None:
    """pg_terminate_backend of some sessions."""
    for _ in range(faults.dice.randint(1, 4)):
        victim = faults.victim()
        if victim["name"].startswith("chaos "):
            faults.note("backend terminated", name=victim["name"])
        else:
            faults.note("officectl's backend terminated")
        with faults.connect() as conn:
            conn.execute("select pg_terminate_backend(%s)", [victim["pid"]])


def kill_backend(faults: Faults) -> None:
    """kill -9 of a backend: the postmaster ends all others, and recovers."""
    victim = faults.victim()
    process = psutil.Process(victim["pid"])
    if process.ppid() == faults.cluster.pid:
        faults.note("kill -9 of a backend")
        process.kill()


def kill_postmaster(faults: Faults) -> None:
    """SIGKILL of the postmaster."""
    if pid := faults.cluster.pid:
        faults.note("kill -9 of the postmaster")
        os.kill(pid, signal.SIGKILL)
    faults.cluster.ensure()


def stop_immediately(faults: Faults) -> None:
    """pg_ctl -m immediate, and a start."""
    faults.note("pg_ctl stop -m immediate")
    faults.cluster.stop("immediate")
    faults.cluster.ensure()


def freeze_worker(faults: Faults) -> None:
    """SIGSTOP for longer than a lease; it comes back with attempts that are not its own any more."""
    _freeze(faults, "workers", "frozen worker")


def freeze_serve(faults: Faults) -> None:
    """The same, of `officectl serve`."""
    _freeze(faults, "serve", "frozen officectl serve")


def _freeze(faults: Faults, role: str, kind: str) -> None:
    member = faults.pick(role)

    def act() -> None:
        with frozen(member):
            faults.over.wait(LEASE + faults.dice.uniform(0.5, 2))
        faults.ledger.note("thawed", fault=wall)

    wall = faults.note(kind, pid=member.pid)
    faults.last(act)


def hold_snapshot(faults: Faults) -> None:
    """A REPEATABLE READ transaction that stays open."""

    def act() -> None:
        with faults.connect() as conn, conn.transaction():
            conn.execute("set transaction isolation level repeatable read")
            conn.execute("select count(*) from office.runs")
            faults.note("held snapshot")
            faults.over.wait(faults.dice.uniform(*HELD))

    faults.last(act)


def wake_and_wait(faults: Faults) -> None:
    """A transaction that wakes, with a key that others may want, and takes its time."""

    def act() -> None:
        with faults.connect() as conn:
            with conn.transaction():
                number = faults.dice.randrange(AGENTS)
                rows = conn.execute(
                    "select * from office.wake(%s, idempotency_key => %s)",
                    [f"{workspace_of(number)}/a{number}", f"k{faults.dice.randrange(100)}"],
                ).fetchall()
                faults.note("open transaction that wakes")
                faults.over.wait(faults.dice.uniform(*HELD))
            faults.ledger.note("woken", wakeup=rows[0]["wakeup_id"], key=None, duplicate=rows[0]["duplicate"])

    faults.last(act)


KINDS: list[Callable[[Faults], None]] = [
    terminate_backends,
    kill_postmaster,
    kill_backend,
    stop_immediately,
    freeze_worker,
    freeze_serve,
    hold_snapshot,
    wake_and_wait,
    kill_worker,
    kill_serve,
]
"""In the order of the first turn: a start of the server renews leases, so what ends by one comes last."""
