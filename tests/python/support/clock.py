"""The test clock (I7): time stands still until a test moves it. Its SQL, for pgTAP too, is in clock.sql."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import psycopg

Connection = psycopg.Connection[Any]


def install_test_clock(conn: Connection, at: datetime | None = None) -> None:
    """Replace the office's clocks in this database by one that stands at `at` (by default a Monday)."""
    if at is None:
        conn.execute("select testing.install_clock()")
    else:
        conn.execute("select testing.install_clock(%s)", [at])


def set_clock(conn: Connection, at: datetime) -> None:
    """Put the test clock to `at`, for every session once this transaction commits."""
    conn.execute("select testing.set_clock(%s)", [at])


def advance(conn: Connection, by: timedelta) -> datetime:
    """Move the test clock on and return its new time."""
    row = conn.execute("select testing.advance(%s)", [by]).fetchone()
    assert row is not None
    now: datetime = row[0]
    return now
