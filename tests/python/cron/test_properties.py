"""R3, R5, R7: what holds of every expression in every zone."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import Connection
from .walk import Expression, Expressions

ZONES = ["UTC", "Africa/Cairo", "America/Santiago", "Australia/Lord_Howe", "Europe/Dublin", "Pacific/Apia"]
EXPRESSIONS = st.integers(0, 2**32).map(lambda seed: Expressions(random.Random(seed)).one())
MOMENTS = st.datetimes(datetime(1850, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
EXAMPLES = settings(max_examples=300, deadline=None)


def next_fire(
    office: Connection, expression: str, zone: str, after: datetime
) -> tuple[datetime, datetime] | None:
    """The next fire, and how it reads in the zone; None for what never fires."""
    try:
        row: tuple[Any, Any] | None = office.execute(
            """
            select fire, timezone(%(zone)s, fire)
            from office.cron_next(%(expression)s, %(zone)s, %(after)s) as fire
            """,
            {"expression": expression, "zone": zone, "after": after},
        ).fetchone()
    except psycopg.Error as error:
        assert error.sqlstate == "PT422" and "never fires" in str(error)
        return None
    return row


@EXAMPLES
@given(expression=EXPRESSIONS, zone=st.sampled_from(ZONES), after=MOMENTS)
def test_r5_after_and_satisfying(office: Connection, expression: str, zone: str, after: datetime) -> None:
    """Strictly after, and read in the zone it satisfies the expression."""
    if found := next_fire(office, expression, zone, after):
        fire, local = found
        assert fire > after
        assert Expression(expression).names(local)


@EXAMPLES
@given(
    expression=EXPRESSIONS,
    zone=st.sampled_from(ZONES),
    after=MOMENTS,
    share=st.floats(0, 1, exclude_max=True),
)
def test_r5_monotone(office: Connection, expression: str, zone: str, after: datetime, share: float) -> None:
    """From every instant before the next fire it is the same fire; from there on it is a later one."""
    if found := next_fire(office, expression, zone, after):
        fire, _ = found
        between = after + timedelta(microseconds=int((fire - after) / timedelta(microseconds=1) * share))
        assert next_fire(office, expression, zone, between) == found
        later = next_fire(office, expression, zone, fire)
        assert later is not None and later[0] > fire


@EXAMPLES
@given(expression=EXPRESSIONS, zone=st.sampled_from(ZONES), after=MOMENTS)
def test_r7_fires_are_one_next_after_the_other(
    office: Connection, expression: str, zone: str, after: datetime
) -> None:
    if next_fire(office, expression, zone, after) is None:
        return
    listed = [
        fire
        for (fire,) in office.execute(
            "select * from office.cron_fires(%s, %s, %s)", [expression, zone, after]
        )
    ]
    assert len(listed) == 5
    for fire in listed:
        found = next_fire(office, expression, zone, after)
        assert found is not None and found[0] == fire
        after = fire


@EXAMPLES
@given(expression=EXPRESSIONS, zone=st.sampled_from(ZONES), after=MOMENTS)
def test_r5_a_slot_fires_once(office: Connection, expression: str, zone: str, after: datetime) -> None:
    """No wall-clock minute comes twice among the fires."""
    if next_fire(office, expression, zone, after) is None:
        return
    slots = office.execute(
        """
        select date_trunc('minute', timezone(%(zone)s, fire))
        from office.cron_fires(%(expression)s, %(zone)s, %(after)s, 50) as fire
        """,
        {"expression": expression, "zone": zone, "after": after},
    ).fetchall()
    assert len(set(slots)) == 50


def test_r7_now_is_the_beginning_unless_another_is_given(office: Connection) -> None:
    row = office.execute(
        """
        select office.cron_next('* * * * *') = date_trunc('minute', office.now()) + interval '1 minute',
          (select count(*) from office.cron_fires('* * * * *', 'UTC', null))
        """
    ).fetchone()
    assert row == (True, 5)


@pytest.mark.parametrize("weekday", range(7))
def test_r6_every_leap_day_comes(office: Connection, weekday: int) -> None:
    """29 February on any one day of the week, from any year of the calendar's cycle: never refused."""
    row = office.execute(
        """
        select count(*)
        from generate_series(timestamptz '2000-01-01', '2400-01-01', '1 year') as after,
          office.cron_next('0 0 29 2 *', 'UTC', after) as leap_day,
          office_internal.next_fire(
            jsonb_populate_record(
              null::office_internal.cron,
              to_jsonb(office_internal.parse_cron('0 0 29 2 *'))
                || jsonb_build_object('weekdays', repeat(rpad(lpad('1', %(weekday)s + 1, '0'), 7, '0'), 6))
            ),
            'UTC', after
          ) as fire
        where date_part('dow', fire) = %(weekday)s and date_part('day', fire) = 29 and fire >= leap_day
        """,
        {"weekday": weekday},
    ).fetchone()
    assert row == (401,)
