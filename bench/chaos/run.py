"""One run of chaos on one cluster: furnish, make trouble, let it settle, prove."""

from __future__ import annotations

import random
import statistics
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from officectl.database import deploy
from officectl.database.embedded import Cluster

from .crew import Crew, within
from .faults import Faults
from .furnish import Place, furnish
from .ledger import Entry, Ledger, entries
from .proof import of, proof
from .quiet import settle

Connection = psycopg.Connection[dict[str, Any]]

SETTLING = 120.0  # seconds for everything that is under way to end
SAMPLES = 0.2  # seconds between two

LIMITS = """
select format('%s of %s slots of %s', n, g.slots + g.excess, w.name) as detail
from office_internal.gates as g
join office.workspaces as w on w.id = g.workspace_id
cross join lateral (
  select count(*) as n from office.runs as r
  where r.workspace_id = g.workspace_id
    and (r.status in ('claimed', 'running', 'waiting', 'stopping')
      or r.status = 'queued' and r.answered_at is not null)
) as c
where c.n > g.slots + g.excess + g.extra_run_used::integer
union all
select format('%s of %s runs of %s', n, l.capacity + l.excess, a.name)
from office_internal.lanes as l
join office.agents as a on a.id = l.agent_id
cross join lateral (
  select count(*) as n from office.runs as r
  where r.agent_id = l.agent_id
    and (r.status in ('claimed', 'running', 'waiting', 'stopping')
      or r.status = 'queued' and r.answered_at is not null)
) as c
where c.n > l.capacity + l.excess
union all
select format('%s of %s requests at %s', n, p.max_requests + p.excess, p.provider)
from office.provider_limits as p
cross join lateral (
  select count(*) as n from office.runs as r join office.executors as x on x.id = r.executor_id
  where x.provider = p.provider and r.status in ('claimed', 'running', 'stopping')
) as c
where c.n > p.max_requests + p.excess
"""


@dataclass(frozen=True)
class Size:
    """How much at once: processes of each role, threads in each, and the seconds between two faults."""

    workers: int = 4
    workers_threads: int = 3
    serve: int = 4
    people: int = 2
    people_threads: int = 4
    pause: tuple[float, float] = (1.5, 4.0)
    least: int = 100
    """So many wakes and launches at least, whatever the faults left time for."""

    def __str__(self) -> str:
        workers = self.workers * self.workers_threads + self.serve
        return (
            f"{workers} workers ({self.workers} processes of {self.workers_threads}, "
            f"{self.serve} officectl serve), {self.people * self.people_threads} clients"
        )


@dataclass
class Chaos:
    """What one run needs, and what came of it."""

    cluster: Cluster
    folder: Path
    seconds: float
    seed: int
    size: Size = Size()
    patience: float = SETTLING
    samples: int = 0
    found: dict[str, list[str]] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        return Place(self.folder / "place")

    @property
    def ledgers(self) -> Path:
        return self.folder / "ledgers"

    def run(self) -> dict[str, list[str]]:
        """What is wrong, by guarantee; each list is empty when all is well."""
        self.ledgers.mkdir(parents=True)
        dsn = self.cluster.ensure()
        deploy.migrate(dsn)
        with self.connect() as conn:
            furnish(conn, dsn, self.place)
        size = self.size
        crew = Crew(
            dsn, self.ledgers, {"workers": size.workers_threads, "people": size.people_threads}, self.seed
        )
        ledger = Ledger(self.ledgers / "faults.ledger")
        faults = Faults(self.cluster, crew, ledger, random.Random(self.seed))
        try:
            for role, number in (("workers", size.workers), ("serve", size.serve), ("people", size.people)):
                for slot in range(number):
                    crew.start(role, slot)
            with self.sampling(ledger):
                faults.make_trouble(self.seconds, size.pause)
                within(self.patience, self.enough)
                crew.end("people")
                crew.be_calm()
                with self.connect() as conn:
                    unsettled = settle(conn, crew, self.patience)
        finally:
            faults.over.set()
            for thread in faults.lasting:
                thread.join()
            crew.end()
        with self.connect() as conn:
            noted = list(entries(self.ledgers))
            self.found = {**proof(conn, noted, self.place), "unsettled": unsettled, "crew": crew.wrong}
            self.recoveries = recoveries(conn, noted)
        self.found["not recovered"] = [kind for kind, times in self.recoveries.items() if None in times]
        return self.found

    def enough(self) -> bool:
        """Whether it was a chaos: what a proof needs is in the ledgers."""
        noted = list(entries(self.ledgers))
        woken = [entry for entry in of(noted, "woken") if not entry["duplicate"]]
        launched = [entry for entry in of(noted, "launched") if not entry["resume"]]
        return len(woken) >= self.size.least and len(launched) >= self.size.least

    def connect(self) -> Connection:
        return psycopg.connect(self.cluster.ensure(), autocommit=True, row_factory=dict_row)

    @contextmanager
    def sampling(self, ledger: Ledger) -> Iterator[None]:
        """Beside everything else: how many are live at an instant, and how many may be."""
        over = threading.Event()

        def sample() -> None:
            while not over.is_set():
                try:
                    with psycopg.connect(self.cluster.dsn, autocommit=True, row_factory=dict_row) as conn:
                        while not over.wait(SAMPLES):
                            for row in conn.execute(LIMITS).fetchall():
                                ledger.note("overshoot", detail=row["detail"])
                            self.samples += 1
                except psycopg.OperationalError:
                    over.wait(SAMPLES)

        thread = threading.Thread(target=sample)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def wrong(self) -> list[str]:
        """What is wrong, in words."""
        return [f"{what}: {one}" for what, many in self.found.items() for one in many]

    def table(self) -> str:
        """Operations, faults, recoveries, and what is wrong."""
        noted = list(entries(self.ledgers))
        did = Counter(entry["kind"] for entry in of(noted, "did"))
        refused = Counter(entry["kind"] for entry in of(noted, "refused"))
        work = Counter(
            entry["what"] for entry in noted if entry["what"] in ("launched", "alive", "ended", "asked")
        )
        lines = ["", f"{'operation':<32}{'done':>8}{'refused':>9}"]
        for kind, count in sorted((work + did).items(), key=lambda item: -item[1]):
            lines.append(f"{kind.replace('_', ' '):<32}{count:>8}{refused[kind] or '':>9}")
        lines.append(f"{'all':<32}{(work + did).total():>8}{refused.total():>9}")
        lines += ["", f"{'fault':<32}{'times':>8}{'median':>9}{'longest':>9}   recovery, in s"]
        for kind, times in sorted(self.recoveries.items()):
            known = [time for time in times if time is not None]
            median, longest = (statistics.median(known), max(known)) if known else (0.0, 0.0)
            lines.append(f"{kind:<32}{len(times):>8}{median:>9.2f}{longest:>9.2f}")
        every = [time for times in self.recoveries.values() for time in times if time is not None]
        lines.append(
            f"{'all':<32}{sum(map(len, self.recoveries.values())):>8}{'':>9}{max(every, default=0):>9.2f}"
        )
        lines += ["", f"{'proof':<32}{'violations':>11}"]
        lines += [f"{what:<32}{len(wrong):>11}" for what, wrong in self.found.items()]
        lines.append(f"limits were sampled {self.samples} times, and swept")
        return "\n".join(lines)


def recoveries(conn: Connection, noted: list[Entry]) -> dict[str, list[float | None]]:
    """For each kind of fault, how long until what it hit went on; None: it never did."""
    found: dict[str, list[float | None]] = {}
    for fault in of(noted, "fault"):
        times = found.setdefault(fault["kind"], [])
        if "pid" in fault:
            # Until all that it had was let go, for others to go on with; or it lives again.
            row = conn.execute(
                """
                select extract(epoch from max(coalesce(w.ended_at, 'infinity')) - to_timestamp(%(at)s))
                  as late
                from office.workers as w
                where w.pid = %(pid)s and w.registered_at < to_timestamp(%(at)s)
                  and coalesce(w.ended_at, 'infinity') > to_timestamp(%(at)s)
                """,
                {"at": fault["wall"], "pid": fault["pid"]},
            ).fetchone()
            known = [] if row is None or row["late"] is None else [float(row["late"])]
            known += [e["at"] - fault["at"] for e in of(noted, "thawed") if e["fault"] == fault["wall"]]
            late = min(known, default=0.0)
            times.append(None if late == float("inf") else late)
        elif "name" in fault:
            # Until whose session it was has one again, and asks something.
            ours = [e["at"] for e in of(noted, "connected") if e["name"] == fault["name"]]
            later = [at for at in ours if at > fault["at"]]
            times.append(min(later) - fault["at"] if later else 0.0)
        else:
            # Until somebody is woken, something is claimed, and something ends.
            after = [
                min((e["at"] for e in of(noted, what) if e["at"] > fault["at"]), default=None)
                for what in ("woken", "launched", "ended")
            ]
            ends = [at - fault["at"] for at in after if at is not None]
            times.append(max(ends) if ends else None)
    return found


def report(chaos: Chaos) -> int:
    """Print the table and what is wrong; the exit code."""
    print(chaos.table())
    wrong = chaos.wrong()
    if wrong:
        print("", *wrong[:60], sep="\n")
        if len(wrong) > 60:
            print(f"and {len(wrong) - 60} more")
        print(f"\nledgers and logs: {chaos.ledgers}")
    else:
        print("the books are in order: nothing lost, nothing twice, no limit passed")
    return 1 if wrong else 0
