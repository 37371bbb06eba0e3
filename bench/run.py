"""`make bench`: the figures of the rules K, a table a rule; writes RESULTS.md.

`make bench ARGS="--only K2 --queued 1000 100000"` measures a part of it, `--dry` without writing.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from cron import cron_next
from drain import AGENTS, WORKSPACES, drain
from report import Section, Table, show, write
from rich.console import Console
from server import office, server, settings

RESULTS = Path(__file__).parent / "RESULTS.md"

Part = Callable[[str, argparse.Namespace], list[Table]]


def k1(cluster: str, given: argparse.Namespace) -> list[Table]:
    """Drain"""
    with office(cluster, "drain") as place:
        drained = drain(place, given.wakeups, slots=given.slots, profile=given.profile)
    table = Table(
        f"{given.wakeups:,} wakeups for {AGENTS:,} agents of {WORKSPACES:,} workspaces, one worker",
        ("what", "runs/s"),
    )
    table.add(
        "whole life: claim_runs, start_attempt, finish_attempts", f"{drained.runs / drained.draining:,.0f}"
    )
    table.add("asking before: wake_many, 1,000 a call", f"{drained.runs / drained.asking:,.0f}")
    for call, seconds in drained.spent.items():
        table.add(f"  {call}, {drained.calls[call]:,} calls", f"{drained.runs / seconds:,.0f}")
    tables = [table]
    if given.profile:
        profile = Table(
            "where the time goes", ("function", "calls", "ms with what it calls", "ms of its own")
        )
        for name, calls, total, own in drained.profile:
            profile.add(name, f"{calls:,}", f"{total:,.0f}", f"{own:,.0f}")
        tables.append(profile)
    return tables


def k5(cluster: str, _given: argparse.Namespace) -> list[Table]:
    """Tick"""
    table = Table(
        "microseconds of a next fire, over 30 pairs of an expression and a zone",
        ("what", "median", "slowest"),
    )
    with office(cluster, "cron") as place:
        for figure in cron_next(place):
            table.add(figure.what, f"{figure.median:.1f}", f"{figure.slowest:.1f}")
    return [table]


PARTS: dict[str, Part] = {"K1": k1, "K5": k5}


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, default=list(PARTS), help="rules to measure (all)"
    )
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    parser.add_argument("--pg", type=int, default=18, help="PostgreSQL version (18)")
    parser.add_argument("--wakeups", type=int, default=20_000, help="K1: wakeups to drain (20,000)")
    parser.add_argument("--slots", type=int, default=3, help="K1: slots of a workspace (3)")
    parser.add_argument("--profile", action="store_true", help="K1: the time of each function, too")
    return parser


def main() -> None:
    given = options().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    console = Console()
    sections = []
    with server(given.pg) as cluster:
        told = ", ".join(f"{name} {value}" for name, value in settings(cluster).items())
        console.print(told)
        for rule in given.only:
            part = PARTS[rule]
            section = Section(rule, str(part.__doc__), told, part(cluster, given))
            show(section, console)
            sections.append(section)
    if not given.dry:
        write(sections, RESULTS)


if __name__ == "__main__":
    main()
