"""One deployed database for all tests of cron: nothing here writes to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

Connection = psycopg.Connection[Any]
Changes = list[tuple[datetime, timedelta]]

DATABASE = "office_cron"


@pytest.fixture(scope="package")
def office(cluster_dsn: str, template: str) -> Iterator[Connection]:
    """A session of the owner's, in autocommit and UTC."""
    with psycopg.connect(cluster_dsn, autocommit=True) as conn:
        conn.execute(f"create database {DATABASE} template {template}")
        with psycopg.connect(make_conninfo(cluster_dsn, dbname=DATABASE), autocommit=True) as session:
            session.execute("set timezone = 'UTC'")
            yield session
        conn.execute(f"drop database {DATABASE}")


def server_changes(conn: Connection, zone: str, start: datetime, end: datetime) -> Changes:
    """The server's offset at `start`, and each that the hours after it up to `end` bring."""
    return conn.execute(
        """
        select at, "offset"
        from (
          select at, shown - timezone('UTC', at) as "offset",
            lag(shown - timezone('UTC', at)) over (order by at) as before
          from generate_series(%(start)s::timestamptz, %(end)s, interval '1 hour') as at,
            timezone(%(zone)s, at) as shown
        ) as hours
        where "offset" is distinct from before
        order by at
        """,
        {"zone": zone, "start": start, "end": end},
    ).fetchall()


def python_changes(zone: str, start: datetime, end: datetime) -> Changes:
    """The same by Python's zone data."""
    clock = ZoneInfo(zone)
    changes: Changes = []
    at = start
    while at <= end:
        offset = at.astimezone(clock).utcoffset()
        assert offset is not None
        if not changes or changes[-1][1] != offset:
            changes.append((at, offset))
        at += timedelta(hours=1)
    return changes


def disagreement(conn: Connection, zone: str, start: datetime, end: datetime) -> str | None:
    """Where the server's and Python's zone data differ between two instants, or None."""
    start = start.replace(minute=0, second=0, microsecond=0)
    ours, theirs = server_changes(conn, zone, start, end), python_changes(zone, start, end)
    if ours == theirs:
        return None
    first = min(at for at, _ in set(ours) ^ set(theirs))
    return f"{zone}: the server's and Python's zone data differ from {first.astimezone(UTC):%Y-%m-%d %H:%M}"


def fires(
    conn: Connection, cases: Sequence[tuple[str, str, datetime]], count: int = 3
) -> list[list[datetime]]:
    """For each (expression, zone, after) the next fires, in one statement."""
    expressions, zones, afters = zip(*cases, strict=True)
    rows = conn.execute(
        """
        select array(select office.cron_fires(expression, zone, after, %s))
        from unnest(%s::text[], %s::text[], %s::timestamptz[]) with ordinality
          as cases (expression, zone, after, number)
        order by number
        """,
        [count, list(expressions), list(zones), list(afters)],
    )
    return [found for (found,) in rows]
