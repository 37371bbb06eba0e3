"""The proof: ledgers against the database. Nothing lost, nothing twice, no limit passed, the books in order (K9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import psutil
import psycopg

from .furnish import FIXED_PROVIDER, FIXED_SLOTS, Place
from .ledger import Entry

Connection = psycopg.Connection[dict[str, Any]]


def proof(conn: Connection, entries: list[Entry], place: Place) -> dict[str, list[str]]:
    """What is wrong, by guarantee."""
    return {
        "audit": [str(row) for row in conn.execute("select * from office.audit()").fetchall()],
        "lost": [*lost(conn, entries), *undone(conn, entries)],
        "double": [*twice(conn, entries), *programs_twice(conn, place)],
        "overshoot": [*swept(conn), *(entry["detail"] for entry in of(entries, "overshoot"))],
        "unexpected": sorted({entry["error"] for entry in of(entries, "wrong")}),
        "left running": left_running(conn),
    }


def of(entries: Iterable[Entry], what: str) -> list[Entry]:
    return [entry for entry in entries if entry["what"] == what]


def lost(conn: Connection, entries: list[Entry]) -> list[str]:
    """Wakes, tasks and comments that a client saw committed and that are not there, or not settled (Q8, Q10)."""
    wakeups = {
        str(row["id"]): row
        for row in conn.execute(
            """
            select w.id, w.status, w.reason, r.status as run_status, r.result, s.ended,
              coalesce(w.position <= a.shown_wakeups, false) as shown
            from office.wakeups as w
            left join office.runs as r on r.id = w.run_id
            left join office.run_states as s on s.status = r.status
            left join office.attempts as a on a.id = r.attempt_id
            """
        )
    }
    wrong = []
    for entry in of(entries, "woken"):
        row = wakeups.get(entry["wakeup"])
        if row is None:
            wrong.append(f"an acknowledged wakeup is not there: {entry}")
        elif row["status"] == "queued" or not (row["ended"] or row["reason"]):
            wrong.append(f"an acknowledged wakeup is not settled: {row}")
        elif not (row["shown"] or row["reason"] or row["result"] != "succeeded"):
            wrong.append(f"no prompt has shown an acknowledged wakeup: {row}")
    wrong += [
        f"a wakeup that was rolled back is there: {entry}"
        for entry in of(entries, "rolled back")
        if not entry["duplicate"] and entry["wakeup"] in wakeups
    ]
    for what, table in (("created", "tasks"), ("commented", "comments")):
        key = (what == "created" and "task") or "comment"
        there = {str(row["id"]) for row in conn.execute(f"select id from office.{table}".encode())}
        wrong += [f"{table}: {entry}" for entry in of(entries, what) if entry[key] not in there]
    return wrong


def undone(conn: Connection, entries: list[Entry]) -> list[str]:
    """Ends, stops and answers that were acknowledged, and are not so any more."""
    runs = {
        f"r{row['number']}": row
        for row in conn.execute("select number, status, result, attempt_id from office.runs")
    }
    wrong = []
    for entry in of(entries, "ended"):
        run = runs.get(entry["run"])
        if entry["status"] in ("finished", "cancelled") and (run is None or run["status"] != entry["status"]):
            wrong.append(f"an acknowledged end is undone: {entry}, {run}")
    for entry in of(entries, "stopped"):
        run = runs.get(entry["run"])
        if entry["status"] == "cancelled" and (run is None or run["status"] != "cancelled"):
            wrong.append(f"an acknowledged stop is undone: {entry}, {run}")
    choices = {
        f"d{row['number']}": row
        for row in conn.execute("select number, status, choice from office.decisions")
    }
    for entry in of(entries, "answered"):
        decision = choices.get(entry["decision"])
        if decision is None or (decision["status"], decision["choice"]) != ("answered", entry["choice"]):
            wrong.append(f"an acknowledged answer is undone: {entry}, {decision}")
    wrong += [
        f"an acknowledged question is not there: {e}"
        for e in of(entries, "asked")
        if e["decision"] not in choices
    ]
    return wrong


def twice(conn: Connection, entries: list[Entry]) -> list[str]:
    """A key with two wakeups, a decision answered twice, a launch given twice, a run live twice (Q3, Q11, D3)."""
    wrong = [
        *more_than_one(of(entries, "woken"), lambda e: e["key"], lambda e: e["wakeup"], "wakeups of one key"),
        *more_than_one(
            of(entries, "woken"), lambda e: None if e["duplicate"] else e["wakeup"], id, "first wakes"
        ),
        *more_than_one(of(entries, "answered"), lambda e: e["decision"], id, "answers to one decision"),
    ]
    launches: dict[str, list[Entry]] = defaultdict(list)
    for entry in of(entries, "launched"):
        launches[entry["attempt"]].append(entry)
    for attempt, given in launches.items():
        fresh = [entry for entry in given if not entry["resume"]]
        if len(fresh) > 1:
            wrong.append(f"attempt {attempt} was launched twice: {fresh}")
    wrong += live_twice(entries)
    wrong += [
        f"attempts of one run overlap: {row}"
        for row in conn.execute(
            """
            select a.run_id, a.number, b.number as other
            from office.attempts as a
            join office.attempts as b on b.run_id = a.run_id and b.number > a.number
            where b.claimed_at < coalesce(a.ended_at, 'infinity')
            """
        )
    ]
    return wrong


def more_than_one(
    entries: list[Entry], key: Callable[[Entry], Any], value: Callable[[Entry], Any], what: str
) -> list[str]:
    found: dict[Any, set[Any]] = defaultdict(set)
    for entry in entries:
        found[key(entry)].add(value(entry))
    return [f"{what}: {k}: {v}" for k, v in found.items() if k is not None and len(v) > 1]


def live_twice(entries: list[Entry]) -> list[str]:
    """By the workers' own ledgers: from the claim's answer to the last call that only a live attempt is granted,
    an attempt was some worker's; no other attempt of its run, and no other worker, was live meanwhile."""
    spans: dict[tuple[str, str, str], list[float]] = {}
    for entry in entries:
        key = (entry.get("run", ""), entry.get("attempt", ""), entry.get("worker", ""))
        if entry["what"] == "launched":
            spans.setdefault(key, [entry["at"], entry["at"]])
        elif entry["what"] == "alive" and key in spans:
            spans[key][1] = max(spans[key][1], entry["at"])
    runs: dict[str, list[tuple[float, float, str, str]]] = defaultdict(list)
    for (run, attempt, worker), (begin, end) in spans.items():
        runs[run].append((begin, end, attempt, worker))
    wrong = []
    for run, lived in runs.items():
        lived.sort()
        for one, other in zip(lived, lived[1:], strict=False):
            if other[0] < one[1]:
                wrong.append(f"{run} was live twice: {one}, {other}")
    return wrong


def programs_twice(conn: Connection, place: Place) -> list[str]:
    """Programs of `officectl serve` say themselves that they begin; one that asked may be launched to go on."""
    if not place.programs.exists():
        return []
    begun: dict[str, int] = defaultdict(int)
    for line in place.programs.read_text().split():
        begun[line] += 1
    asked = {
        str(row["attempt_id"])
        for row in conn.execute(
            "select distinct attempt_id from office.decisions where attempt_id is not null"
        )
    }
    return [
        f"a program was started {n} times for attempt {a}"
        for a, n in begun.items()
        if n > 1 and a not in asked
    ]


SWEEP = """
select {name} as what, at, live
from (
  select of_what, at, sum(change) over (partition by of_what order by at, change rows unbounded preceding) as live
  from (
    select {of_what} as of_what, t.at, t.change
    from office.attempts as a
    join office.runs as r on r.id = a.run_id
    join office.workspaces as w on w.id = r.workspace_id
    left join office.executors as x on x.id = r.executor_id
    left join office.tasks as k on k.id = r.task_id
    left join office.projects as j on j.id = k.project_id
    cross join lateral (values (a.claimed_at, 1), ({until}, -1)) as t (at, change)
    where {where}
  ) as changes
) as swept
where live > {most}
order by at
limit 5
"""
UNTIL_END = "coalesce(a.ended_at, 'infinity')"


def swept(conn: Connection) -> list[str]:
    """Instants with more than is allowed, by times that were read under the gates."""
    provider, most = FIXED_PROVIDER
    fixed = "w.name in ({})".format(", ".join(f"'{name}'" for name in FIXED_SLOTS))
    sweeps = [
        *(
            SWEEP.format(name=f"'slots of {name}'", of_what="w.name", until=UNTIL_END, where=f"w.name = '{name}'", most=n)
            for name, n in FIXED_SLOTS.items()
        ),
        SWEEP.format(
            name="'capacity of agent ' || of_what", of_what="r.agent_id", until=UNTIL_END, where=fixed,
            most="(select g.max_concurrent_sessions from office.agents as g where g.id = of_what)",
        ),
        SWEEP.format(
            name="of_what", of_what="x.provider", until=UNTIL_END, where=f"x.provider = '{provider}'", most=most
        ),
        # One folder and one inside it, of agents and of projects: until nothing is left there; of what was never started nothing is.
        SWEEP.format(
            name="'folder ' || of_what",
            of_what="coalesce(x.body ->> 'folder', j.folder) ~ '/shared(/|$)'",
            until="coalesce(greatest(a.ended_at, case when a.started_at is not null then a.cleaned_at end), 'infinity')",
            where="x.body -> 'folder_shared' is distinct from 'true' and coalesce(x.body ->> 'folder', j.folder) is not null"
            " and not (a.ended_at is null and a.left_at is not null)",
            most=1,
        ),
    ]  # fmt: skip
    return [
        f"{row['what']}: {row['live']} at {row['at']}"
        for sweep in sweeps
        for row in conn.execute(sweep.encode())
    ]


def left_running(conn: Connection) -> list[str]:
    """Processes with the mark of a run of this office (K15)."""
    runs = {str(row["id"]) for row in conn.execute("select id from office.runs")}
    left = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("OFFICE_RUN_ID") in runs:
                left.append(str(process))
        except psutil.Error:
            continue
    return left
