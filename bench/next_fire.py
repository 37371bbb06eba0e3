"""K5: the time of one next fire, on the stored form and from text, beside croniter."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import psycopg
from croniter import croniter
from server import Connection

EXPRESSIONS = (
    "* * * * *",
    "*/5 * * * *",
    "30 9 * * mon-fri",
    "0 0 1,15 * *",
    "15 2 * 3,11 sun",
    "0 12 29 2 *",
)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu")
CALLS = 1_000  # of each expression in each zone, spread over half a year
FIRST, STEP = datetime(2026, 1, 1, tzinfo=UTC), timedelta(minutes=257)

STORED = """
select count(office_internal.next_fire(stored.cron, %(zone)s, %(first)s + n * %(step)s))
from (select office_internal.parse_cron(%(expression)s) as cron offset 0) as stored,
  generate_series(1, %(calls)s) as n
"""
TEXT = """
select count(office.cron_next(%(expression)s, %(zone)s, %(first)s + n * %(step)s))
from generate_series(1, %(calls)s) as n
"""


@dataclass
class Figures:
    """Microseconds of a call, over all pairs of an expression and a zone."""

    what: str
    median: float
    slowest: float


def cron_next(dsn: str) -> list[Figures]:
    with psycopg.connect(dsn, autocommit=True) as conn:
        return [
            measure("office, stored form", lambda *case: in_database(conn, STORED, *case)),
            measure("office, from text", lambda *case: in_database(conn, TEXT, *case)),
            measure("croniter, object kept", croniter_kept),
            measure("croniter, from text", croniter_from_text),
        ]


def measure(what: str, run: Callable[[str, str], None]) -> Figures:
    """Time `CALLS` calls for each expression and zone, after a round that is not counted."""
    run(EXPRESSIONS[0], ZONES[0])
    times = []
    for expression in EXPRESSIONS:
        for zone in ZONES:
            start = time.perf_counter()
            run(expression, zone)
            times.append(1e6 * (time.perf_counter() - start) / CALLS)
    return Figures(what, statistics.median(times), max(times))


def in_database(conn: Connection, query: str, expression: str, zone: str) -> None:
    values = {"expression": expression, "zone": zone, "first": FIRST, "step": STEP, "calls": CALLS}
    assert conn.execute(query.encode(), values).fetchone() == (CALLS,)


def croniter_kept(expression: str, zone: str) -> None:
    clock = ZoneInfo(zone)
    kept = croniter(expression, FIRST.astimezone(clock))
    for n in range(1, CALLS + 1):
        kept.get_next(datetime, start_time=(FIRST + n * STEP).astimezone(clock))


def croniter_from_text(expression: str, zone: str) -> None:
    clock = ZoneInfo(zone)
    for n in range(1, CALLS + 1):
        croniter(expression, (FIRST + n * STEP).astimezone(clock)).get_next(datetime)
