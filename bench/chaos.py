"""`make chaos MINUTES=n`: real `officectl serve` processes, random work, kill -9 of all, then the books (K9).

Workers, backends and the postmaster are killed while agents run; people wake, create, move, stop and retry.
In the end `office.audit()` must be empty, every wakeup in a run, no run live, and no program left.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg
from psycopg.types.json import Jsonb

from officectl.database import deploy
from officectl.database.embedded import Cluster

AGENTS = 24
WORKSPACES = 3
LEASE = {
    "worker_lease_seconds": "3",
    "worker_heartbeat_seconds": "1",
    "worker_poll_seconds": "1",
    # Well above the poll: a pass that comes two periods late is taken for an outage, and renews every lease.
    "sweep_seconds": "2",
}
PROGRAMS = (
    'sleep 0.3; echo \'{"summary": "done"}\'',
    'sleep 2; echo \'{"summary": "done slowly"}\'',
    "sleep 0.1; echo broken >&2; exit 1",
    '(sleep 5 &) ; sleep 0.2; echo \'{"summary": "left a child"}\'',
)
PAUSE_BETWEEN_KILLS = (1.0, 4.0)
UNREACHABLE = 3  # exit code of `officectl serve`
SETTLING = 120.0  # seconds for everything that is under way to end


@dataclass
class Chaos:
    """One run of it, on one cluster."""

    cluster: Cluster
    workers: int
    seconds: float
    dice: random.Random
    log: Path
    killed: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    serving: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self) -> list[str]:
        """Make trouble, let it settle; returns what is wrong then."""
        deploy.migrate(self.cluster.ensure())
        self.furnish()
        try:
            for _ in range(self.workers):
                self.serve()
            self.trouble()
            self.settle()
        finally:
            self.end()
        self.books()
        return self.wrong

    def connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.cluster.ensure(), autocommit=True)

    def furnish(self) -> None:
        with self.connect() as conn:
            for key, value in LEASE.items():
                conn.execute("select office.set_setting(%s, %s)", [key, value])
            for number in range(WORKSPACES):
                conn.execute("select office.create_workspace(%s)", [f"w{number}"])
            for number in range(AGENTS):
                executor = Jsonb({"command": ["/bin/sh", "-c", PROGRAMS[number % len(PROGRAMS)]]})
                conn.execute(
                    "select office.create_agent(%s, executor => %s, workspace => %s, cooldown_sec => 0)",
                    [f"a{number}", executor, f"w{number % WORKSPACES}"],
                )

    def serve(self) -> None:
        with self.log.open("ab") as log:
            command = [
                sys.executable,
                "-m",
                "officectl",
                "serve",
                "--dsn",
                self.cluster.dsn,
                "--max-runs",
                "6",
            ]
            self.serving.append(subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL))

    def trouble(self) -> None:
        """Ask and kill until the time is over."""
        end = time.monotonic() + self.seconds
        next_kill = time.monotonic() + self.dice.uniform(*PAUSE_BETWEEN_KILLS)
        while time.monotonic() < end:
            try:
                with self.connect() as conn:
                    while time.monotonic() < min(end, next_kill):
                        self.ask(conn)
                        time.sleep(self.dice.uniform(0, 0.05))
                    if time.monotonic() < end:
                        self.replace_the_dead()
                        self.kill(conn)
                        next_kill = time.monotonic() + self.dice.uniform(*PAUSE_BETWEEN_KILLS)
            except psycopg.OperationalError:
                self.asked["lost a connection"] += 1

    def ask(self, conn: psycopg.Connection[Any]) -> None:
        """One thing that a person does; a refusal by a rule is an answer too."""
        number = self.dice.randrange(AGENTS)
        agent, workspace = f"a{number}", f"w{number % WORKSPACES}"
        someone = f"{workspace}/{agent}"
        what, statement, values = self.dice.choices(
            [
                ("wake", "select office.wake(%s)", [someone]),
                (
                    "wake again",
                    "select office.wake(%s, idempotency_key => %s)",
                    [someone, str(self.dice.randrange(50))],
                ),
                (
                    "create a task",
                    "select office.create_task('Chaos', assignee => %s, workspace => %s)",
                    [agent, workspace],
                ),
                (
                    "move a task",
                    f"select office.move_task('t' || number, %s) {A_TASK}",
                    [self.dice.choice(STATES)],
                ),
                ("reassign a task", f"select office.assign_task('t' || number, %s) {A_TASK}", [someone]),
                ("stop a run", f"select office.stop('r' || number) {A_RUN}", []),
                ("retry a run", f"select office.retry_run('r' || number) {A_RUN}", []),
            ],
            weights=[10, 3, 6, 3, 2, 1, 2],
        )[0]
        try:
            conn.execute(statement, values)
            self.asked[what] += 1
        except psycopg.OperationalError:
            raise
        except psycopg.Error as error:
            self.asked[f"{what}: {error.sqlstate}"] += 1

    def kill(self, conn: psycopg.Connection[Any]) -> None:
        """kill -9 of a worker, or sometimes of a worker's backend or of the postmaster."""
        victim = self.dice.choices(["worker", "backend", "postmaster"], weights=[8, 2, 1])[0]
        if victim == "worker":
            process = self.serving.pop(self.dice.randrange(len(self.serving)))
            process.kill()
            process.wait()
            self.serve()
        elif victim == "backend":
            row = conn.execute(A_BACKEND).fetchone()
            if row:
                os.kill(row[0], signal.SIGKILL)
        elif self.cluster.pid:
            os.kill(self.cluster.pid, signal.SIGKILL)
        self.killed[victim] += 1

    def replace_the_dead(self) -> None:
        """A worker outlives whatever happens to the database, unless it finds none when it starts (3)."""
        for process in [process for process in self.serving if process.poll() is not None]:
            if process.returncode != UNREACHABLE:
                self.wrong.append(f"a worker ended by itself with {process.returncode}")
            self.serving.remove(process)
            self.serve()

    def settle(self) -> None:
        """Wait until nothing is under way, something is wrong already, or the patience ends."""
        end = time.monotonic() + SETTLING
        while True:
            with self.connect() as conn:
                rows = conn.execute(UNDER_WAY).fetchall()
            if not rows or self.wrong or time.monotonic() > end:
                break
            self.replace_the_dead()
            time.sleep(0.5)
        self.wrong += [f"still under way: {row}" for row in rows]

    def end(self) -> None:
        for process in self.serving:
            process.terminate()
        for process in self.serving:
            process.wait(timeout=60)

    def books(self) -> None:
        """What breaks an invariant, and the programs that are left."""
        with self.connect() as conn:
            self.wrong += [f"audit: {row}" for row in conn.execute("select * from office.audit()").fetchall()]
            runs = {str(run) for (run,) in conn.execute("select id from office.runs").fetchall()}
        self.wrong += [
            f"left running: {process}" for process in psutil.process_iter() if mark(process) in runs
        ]

    def count(self) -> list[tuple[str, int]]:
        """How the runs ended."""
        with self.connect() as conn:
            query = "select coalesce(result, status), count(*) from office.runs group by 1 order by 2 desc"
            return conn.execute(query).fetchall()


STATES = ("todo", "in_progress", "done", "cancelled")
A_BACKEND = (
    "select pid from pg_stat_activity where application_name like 'officectl%' order by random() limit 1"
)
A_TASK = "from (select number from office.tasks order by random() limit 1) as task"
A_RUN = "from (select number from office.runs order by random() limit 1) as run"
# A run that waits for a retry of its own or for a person is settled.
UNDER_WAY = """
select 'wakeup', status, count(*)::text from office.wakeups where status = 'queued' group by status
union all
select 'run', status, string_agg('r' || number, ' ')
from office.runs
where status in ('claimed', 'running', 'stopping') or status = 'queued' and scheduled_retry_at is null
group by status
"""


def mark(process: psutil.Process) -> str | None:
    """The run that a process was started for."""
    try:
        environment: dict[str, str] = process.environ()
        return environment.get("OFFICE_RUN_ID")
    except psutil.Error:
        return None


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--minutes", type=float, default=2)
    options.add_argument("--workers", type=int, default=3)
    options.add_argument("--seed", type=int, default=random.randrange(10**6))
    given = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    print(f"{given.minutes:g} minutes, {given.workers} workers, seed {given.seed}", flush=True)

    folder = Path(f"/var/tmp/officectl-chaos-{os.getpid()}")
    cluster = Cluster(folder)
    chaos = Chaos(
        cluster,
        given.workers,
        60 * given.minutes,
        random.Random(given.seed),
        Path(f"{folder}.log"),
    )
    try:
        wrong = chaos.run()
        for title, counts in (
            ("asked", chaos.asked),
            ("killed", chaos.killed),
            ("runs", dict(chaos.count())),
        ):
            print(f"{title}: {', '.join(f'{count} {name}' for name, count in counts.items())}")
    finally:
        cluster.stop("immediate")
        subprocess.run(["rm", "-rf", str(folder)], check=True)
    if wrong:
        print(*wrong, f"what the workers said: {chaos.log}", sep="\n")
        return 1
    chaos.log.unlink()
    print("the books are in order")
    return 0


if __name__ == "__main__":
    sys.exit(main())
