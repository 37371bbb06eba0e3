"""The test clock stands still, moves when told, and is gone after a rollback (I7)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from support.clock import advance, install_test_clock, set_clock

START = datetime(2026, 1, 5, 10, tzinfo=UTC)


def both_clocks(conn: psycopg.Connection[Any]) -> set[datetime]:
    row = conn.execute("select office.now(), office_internal.wall_clock()").fetchone()
    assert row is not None
    return set(row)


def test_both_clocks_read_the_test_clock(session: psycopg.Connection[Any]) -> None:
    install_test_clock(session, START)
    assert both_clocks(session) == {START}
    assert advance(session, timedelta(minutes=5)) == START + timedelta(minutes=5)
    assert both_clocks(session) == {START + timedelta(minutes=5)}
    set_clock(session, START)
    assert both_clocks(session) == {START}


def test_a_rollback_brings_the_true_clocks_back(session: psycopg.Connection[Any]) -> None:
    with session.transaction(force_rollback=True):
        install_test_clock(session, START)
        assert both_clocks(session) == {START}
    assert START not in both_clocks(session)
