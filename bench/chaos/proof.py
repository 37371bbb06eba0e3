"""The proof (K9): ledgers against the database. Nothing lost, nothing twice, no limit passed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import psutil
import psycopg

from .furnish import Place
from .ledger import Entry
from .sweeps import swept

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
    """Wakes, tasks and comments that a client saw committed and that are not there, or not settled (Q8)."""
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
    """A key with two wakeups, a decision answered twice, a launch given twice, a run live twice (Q3, Q11)."""
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
    """By the workers' own ledgers: an attempt was a worker's from the claim's answer to the last call that
    only a live one is granted; no other attempt of its run, and no other worker, was live meanwhile.
    """
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
        for one, other in combinations(lived, 2):
            if other[0] < one[1]:
                wrong.append(f"{run} was live twice: {one}, {other}")
    return wrong


def programs_twice(conn: Connection, place: Place) -> list[str]:
    """Programs of `officectl serve` say themselves that they begin; one that asked may be launched again."""
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
