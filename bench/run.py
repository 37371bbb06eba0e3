"""`make bench`: the figures of the rules K, a table or two each; writes RESULTS.md and the README's chart.

`make bench ARGS="--only K2 --queued 1000 100000"` measures a part of it, `--dry` without writing.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import chart
import peers
import report
from blockers import blocked
from claim import measure
from contention import contend
from drain import AGENTS, AGENTS_A_WORKSPACE, Drained, drain
from next_fire import cron_next
from report import Section, Table
from rich.console import Console
from server import database, office, server, settings
from snapshot import hold
from tick import DUE, TRIGGERS, tick
from waiting import REASONS

RESULTS = Path(__file__).parent / "RESULTS.md"
CHART = Path(__file__).parent.parent / "docs" / "benchmark.svg"
CONNECTIONS = (2, 4)  # of our one worker's process
ONE_BY_ONE = 500  # runs at most that are claimed one by one: nobody works like that

Part = Callable[[str, argparse.Namespace], list[Table]]


def k1(cluster: str, given: argparse.Namespace) -> list[Table]:
    """Drain"""
    tables = []
    for commit in given.commit:
        table = Table(
            f"{given.wakeups:,} wakeups for {told(given)}, one worker process, synchronous_commit {commit}",
            ("who", "jobs/s", "beside officectl", "asked/s", "mode", "what this mode does without"),
        )
        whole = our_drain(cluster, given, commit)
        speed = whole.runs / whole.draining
        bars = [chart.Bar("officectl, 1 connection", speed, ours=True)]
        table.add("officectl", *figures(whole, speed), "sets of 200", "a program")
        for connections in CONNECTIONS:
            more = our_drain(cluster, given, commit, connections=connections)
            table.add(
                "officectl", *figures(more, speed), f"sets of 200 on {connections} connections", "a program"
            )
            bars.append(
                chart.Bar(f"officectl, {connections} connections", more.runs / more.draining, ours=True)
            )
        one = our_drain(cluster, given, commit, wakeups=min(given.wakeups, ONE_BY_ONE), runs_a_claim=1)
        table.add("officectl", *figures(one, speed), f"one by one, {one.runs:,} of them", "a program")
        for mode in their_modes(table):
            with database(cluster, commit=commit) as place:
                theirs = peers.drain(mode, place, given.wakeups)
            table.add(mode.peer, *figures(theirs, speed), f"{mode.name}: {mode.settings}", mode.without)
            bars.append(chart.Bar(f"{mode.peer}, {mode.name}", theirs.runs / theirs.draining))
        table.notes.append(
            "officectl's whole life is dispatch, claim, start and finish: merged by scope, within slots, "
            "capacity and cooldown, with a prompt built and kept. The peers have none of these."
        )
        calls = Table("officectl's calls", ("call", "calls", "runs/s"))
        for call, seconds in whole.spent.items():
            calls.add(call, f"{whole.calls[call]:,}", f"{whole.runs / seconds:,.0f}")
        tables += [table, calls]
        if given.profile:
            tables.append(profile(whole))
        if not given.dry and len(bars) > 1 and commit == given.commit[0]:
            chart.write(CHART, "Jobs a second through their whole life", table.title, bars)
    return tables


def figures(drained: Drained | peers.Drained, speed: float) -> tuple[str, str, str]:
    """Jobs a second, how many times our speed that is, asked a second."""
    jobs = drained.runs / drained.draining
    return f"{jobs:,.0f}", chart.ratio(jobs / speed), f"{drained.runs / drained.asking:,.0f}"


def our_drain(cluster: str, given: argparse.Namespace, commit: str, **changed: int) -> Drained:
    wakeups = changed.pop("wakeups", given.wakeups)
    with office(cluster, commit=commit) as place:
        return drain(place, wakeups, agents=given.agents, slots=given.slots, profile=given.profile, **changed)


def told(given: argparse.Namespace) -> str:
    return f"{given.agents:,} agents of {given.agents // AGENTS_A_WORKSPACE:,} workspaces"


def their_modes(table: Table) -> list[peers.Mode]:
    try:
        peers.install()
    except peers.Unavailable as why:
        table.notes.append(f"No peers: {why}.")
        return []
    return peers.MODES


def profile(drained: Drained) -> Table:
    table = Table(
        "where officectl's time goes", ("function", "calls", "ms with what it calls", "ms of its own")
    )
    for name, calls, total, own in drained.profile:
        table.add(name, f"{calls:,}", f"{total:,.0f}", f"{own:,.0f}")
    return table


def k2(cluster: str, given: argparse.Namespace) -> list[Table]:
    """Flat claim"""
    columns = [f"{queued:,}" for queued in given.queued]
    titles = {
        "median": "milliseconds of a claim that finds one run, median",
        "p99": "the same, p99",
        "without_prompt": "the same without building the prompt, median",
        "plain": "the plain query, `order by requested_at limit 1` over a join, median",
    }
    tables = {
        name: Table(title, ("queued runs that cannot start", *columns, "most / least"))
        for name, title in titles.items()
    }
    for waiting in REASONS:
        if given.why and not any(word in waiting.why for word in given.why):
            continue
        measured = []
        for queued in given.queued:
            with office(cluster, commit="off") as place:
                measured.append(measure(place, waiting, queued, given.claims))
        for name, table in tables.items():
            figures = [getattr(claims, name) for claims in measured]
            table.add(
                waiting.why, *(f"{figure:.2f}" for figure in figures), f"{max(figures) / min(figures):.2f}"
            )
    tables["median"].notes.append(
        f"{given.claims} claims each, no ANALYZE since the runs were queued, synchronous_commit off: "
        "the time of a commit is the disk's."
    )
    tables["plain"].notes.append(
        "Where runs are parked it skips them by their mark, which a plain queue does not have."
    )
    return list(tables.values())


def k3(cluster: str, given: argparse.Namespace) -> list[Table]:
    """Held snapshot"""
    with office(cluster) as place:
        held = hold(place, given.minutes, given.agents)
    table = Table(
        f"{told(given)}, {given.minutes:g} minutes at half speed, then full; synchronous_commit on",
        ("what", "without", "with a snapshot held", "ratio"),
    )
    table.add(
        "p99 from wake to launch, ms",
        f"{held.p99:.0f}",
        f"{held.p99_held:.0f}",
        f"{held.p99_held / held.p99:.2f}",
    )
    table.add("runs/s at full speed, asking included", *ratios(held.speed, held.speed_held))
    table.notes.append(
        f"{len(held.latencies_held):,} launches with the snapshot held; {held.backlog:,} runs were left over."
    )
    return [table]


def ratios(before: float, after: float) -> tuple[str, str, str]:
    return f"{before:,.0f}", f"{after:,.0f}", f"{after / before:.2f}"


def k5(cluster: str, _given: argparse.Namespace) -> list[Table]:
    """Next fire and tick"""
    table = Table(
        "microseconds of a call, over 30 pairs of an expression and a zone", ("what", "median", "slowest")
    )
    with office(cluster) as place:
        for figure in cron_next(place):
            table.add(figure.what, f"{figure.median:.1f}", f"{figure.slowest:.1f}")
    ticks = Table(
        f"milliseconds of one tick over {TRIGGERS:,} schedules, synchronous_commit on",
        ("what", f"{DUE:,} due", "nothing due", "rows written then"),
    )
    for what, tasks in (("wakes its agents", False), ("makes a task each", True)):
        with office(cluster) as place:
            ticked = tick(place, tasks=tasks)
        ticks.add(what, f"{ticked.fires:,.0f}", f"{ticked.idle:.2f}", "some" if ticked.wrote else "none")
    return [table, ticks]


def k6(cluster: str, given: argparse.Namespace) -> list[Table]:
    """Contention"""
    table = Table(
        f"runs/s of {given.runs:,} wakeups, 20 a claim, synchronous_commit on",
        ("workspaces", *(f"{count} workers" for count in given.workers), "last / first"),
    )
    for workspaces in given.workspaces:
        with office(cluster) as place:
            rates = [rate.rate for rate in contend(place, workspaces, given.workers, given.runs)]
        table.add(f"{workspaces:,}", *(f"{rate:,.0f}" for rate in rates), f"{rates[-1] / rates[0]:.2f}")
    table.notes.append("After each, no workspace and no agent ever had more runs at once than it may.")
    return [table]


def t8(cluster: str, given: argparse.Namespace) -> list[Table]:
    """Blockers"""
    table = Table(
        "milliseconds, median, synchronous_commit off",
        (
            "tasks",
            "blockers",
            "one blocker more",
            "a task ends, dispatched",
            "all end at once, a task",
            "signals a task",
        ),
    )
    for tasks in given.tasks:
        with office(cluster, commit="off") as place:
            cost = blocked(place, tasks, given.ends)
        table.add(
            f"{tasks:,}",
            f"{cost.blockers:,}",
            f"{cost.add:.2f}",
            f"{cost.finish:.2f}",
            f"{cost.bulk:.3f}",
            f"{cost.signals:.2f}",
        )
    table.notes.append(
        "Tasks hang together in groups of a hundred, each waiting for the three before it; "
        "the search for a cycle walks a whole group."
    )
    return [table]


PARTS: dict[str, Part] = {"K1": k1, "K2": k2, "K3": k3, "K5": k5, "K6": k6, "T8": t8}


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, default=list(PARTS), help="rules to measure (all)"
    )
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    parser.add_argument("--pg", type=int, default=18, help="PostgreSQL version (18)")
    parser.add_argument("--wakeups", type=int, default=10_000, help="K1: wakeups to drain (10,000)")
    parser.add_argument("--agents", type=int, default=AGENTS, help="K1, K3: ten a workspace (10,000)")
    parser.add_argument("--slots", type=int, default=3, help="K1: slots of a workspace (3)")
    parser.add_argument(
        "--commit",
        nargs="+",
        choices=("on", "off"),
        default=["on", "off"],
        help="K1: synchronous_commit (on off)",
    )
    parser.add_argument("--profile", action="store_true", help="K1: the time of each function, too")
    parser.add_argument(
        "--queued", type=int, nargs="+", default=[1_000, 100_000], help="K2: runs (1000 100000)"
    )
    parser.add_argument("--claims", type=int, default=300, help="K2: claims to time (300)")
    parser.add_argument("--why", nargs="+", help="K2: reasons to wait, by a word of them (all)")
    parser.add_argument("--minutes", type=float, default=0.5, help="K3: of each half (0.5)")
    parser.add_argument("--runs", type=int, default=2_000, help="K6: wakeups to drain (2,000)")
    parser.add_argument("--workspaces", type=int, nargs="+", default=[1, 10, 1_000], help="K6: (1 10 1000)")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4, 16], help="K6: (1 4 16)")
    parser.add_argument("--tasks", type=int, nargs="+", default=[1_000, 10_000], help="T8: (1000 10000)")
    parser.add_argument("--ends", type=int, default=10, help="T8: blockers to add and tasks to end (10)")
    return parser


def main() -> None:
    given = options().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    # What is read later than it is printed is not broken to fit a terminal.
    console = Console(width=None if sys.stdout.isatty() else 160)
    sections = []
    with server(given.pg) as cluster:
        place = ", ".join(f"{name} {value}" for name, value in settings(cluster).items())
        console.print(place)
        for rule in given.only:
            part = PARTS[rule]
            start = time.monotonic()
            tables = part(cluster, given)
            when = f"{datetime.now(UTC):%Y-%m-%d}, {time.monotonic() - start:.0f} s"
            command = f'`make bench ARGS="{" ".join(sys.argv[1:])}"`' if sys.argv[1:] else "`make bench`"
            section = Section(rule, str(part.__doc__), f"{place}. {command}, {when}.", tables)
            report.show(section, console)
            sections.append(section)
    if not given.dry:
        report.write(sections, RESULTS)


if __name__ == "__main__":
    main()
