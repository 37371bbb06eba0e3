"""The helpers of the two-session tests can succeed and fail (K12, K13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from support.races import Background, wait_until_blocked

Connection = psycopg.Connection[Any]


@pytest.fixture
def three(fresh_database: str) -> Any:
    """Two sessions with a table between them, and one that watches."""
    with (
        psycopg.connect(fresh_database, autocommit=True) as first,
        psycopg.connect(fresh_database, autocommit=True) as second,
        psycopg.connect(fresh_database, autocommit=True) as observer,
    ):
        first.execute("create table t (x integer); insert into t values (1)")
        yield first, second, observer


def test_a_waiting_statement_is_seen_and_goes_on(three: tuple[Connection, ...]) -> None:
    first, second, observer = three
    first.execute("begin")
    first.execute("update t set x = 2")
    with Background(second, "update t set x = x + 1 returning x") as other:
        wait_until_blocked(observer, other.pid, by=first.info.backend_pid)
        assert not other.done
        first.execute("commit")
        assert other.rows() == [(3,)]


def test_a_statement_that_does_not_wait_is_no_race(three: tuple[Connection, ...]) -> None:
    _, second, observer = three
    with pytest.raises(AssertionError, match="did not wait"):
        wait_until_blocked(observer, second.info.backend_pid, deadline=0.1)


def test_the_error_of_a_background_statement_comes_out(three: tuple[Connection, ...]) -> None:
    _, second, _ = three
    with Background(second, "select 1 / %s", [0]) as other, pytest.raises(psycopg.errors.DivisionByZero):
        other.rows()


def test_leaving_the_block_cancels_what_still_runs(three: tuple[Connection, ...]) -> None:
    _, second, _ = three
    with Background(second, "select pg_sleep(60)") as other:
        pass
    assert isinstance(other.error, psycopg.errors.QueryCanceled)


def test_sessions_are_real_ones(sessions: Callable[[int], list[Connection]]) -> None:
    pids = {session.info.backend_pid for session in sessions(3)}
    assert len(pids) == 3
