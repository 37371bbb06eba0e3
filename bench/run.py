"""`make bench`: figures, with their settings. `make bench ARGS="--wakeups 50000 --pg 15"`."""

from __future__ import annotations

import argparse
import signal
import sys

from claim import flat_claim
from cron import cron_next
from drain import AGENTS, WORKSPACES, drain
from rich.console import Console
from rich.table import Table
from server import office, server, settings


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pg", type=int, default=18, help="PostgreSQL version (18)")
    options.add_argument("--wakeups", type=int, default=20_000, help="wakeups to drain (20,000)")
    options.add_argument(
        "--queued", type=int, nargs="+", default=[1_000, 100_000], help="queued runs (1,000 100,000)"
    )
    given = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    console = Console()

    with server(given.pg) as dsn:
        console.print(", ".join(f"{name} {value}" for name, value in settings(dsn).items()))

        with office(dsn, "drain") as place:
            figures = drain(place, given.wakeups)
        table = Table(
            title=f"K1 drain: {WORKSPACES:,} workspaces, {AGENTS:,} agents, one worker, no program started"
        )
        for column in ("runs", "wake_many / s", "claim, start, finish / s", "whole life / s"):
            table.add_column(column, justify="right")
        whole = figures.asking + figures.draining
        table.add_row(
            f"{figures.runs:,}",
            *(f"{figures.runs / seconds:,.0f}" for seconds in (figures.asking, figures.draining, whole)),
        )
        console.print(table)

        table = Table(
            title="K2 flat claim: milliseconds of a claim, all queued runs but one belong to busy agents"
        )
        for column in ("queued runs", "median", "p99"):
            table.add_column(column, justify="right")
        for queued in given.queued:
            with office(dsn, "claim") as place:
                measured = flat_claim(place, queued)
            table.add_row(f"{measured.queued:,}", f"{measured.median:.2f}", f"{measured.p99:.2f}")
        console.print(table)

        table = Table(
            title="K5 next fire of a cron expression: microseconds of a call, over 30 pairs with a zone"
        )
        for column in ("what", "median", "slowest"):
            table.add_column(column, justify="left" if column == "what" else "right")
        with office(dsn, "cron") as place:
            for row in cron_next(place):
                table.add_row(row.what, f"{row.median:.1f}", f"{row.slowest:.1f}")
        console.print(table)


if __name__ == "__main__":
    main()
