"""R5, R7: random expressions around changes of clocks, against a walk over real time."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from .conftest import Connection, disagreement, fires
from .walk import DAY, Expression, Expressions, Walk, shift_days

ZONES = [
    "Africa/Cairo",
    "Africa/Casablanca",
    "America/Asuncion",
    "America/Caracas",
    "America/Havana",
    "America/Nuuk",
    "America/New_York",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Jerusalem",
    "Asia/Kathmandu",
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Atlantic/Azores",
    "Australia/Adelaide",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Europe/Dublin",
    "Europe/Istanbul",
    "Europe/London",
    "Europe/Volgograd",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Fakaofo",
    "Pacific/Kiritimati",
    "Pacific/Kwajalein",
]
FIRST_YEAR, LAST_YEAR = 1993, 2030
STRETCHES = 4  # of time in each zone: three with a change of the clocks, if it has so many, and one anywhere
LENGTH = 5 * DAY
CASES = 170  # in each stretch: 20,400 in all

SECONDS = [
    # Changes by odd seconds, of whole days, and of half hours, when zones were new.
    ("Africa/Monrovia", datetime(1972, 1, 7, tzinfo=UTC)),
    ("America/Juneau", datetime(1867, 10, 19, tzinfo=UTC)),
    ("America/Caracas", datetime(1912, 2, 12, tzinfo=UTC)),
    ("Asia/Kolkata", datetime(1945, 10, 14, tzinfo=UTC)),
    ("Asia/Manila", datetime(1844, 12, 31, tzinfo=UTC)),
    ("Asia/Singapore", datetime(1905, 5, 31, tzinfo=UTC)),
    ("Europe/Berlin", datetime(1893, 3, 31, tzinfo=UTC)),
    ("Europe/Dublin", datetime(1916, 10, 1, tzinfo=UTC)),
    ("Europe/Paris", datetime(1911, 3, 10, tzinfo=UTC)),
    ("Pacific/Kwajalein", datetime(1969, 9, 30, tzinfo=UTC)),
]


@pytest.mark.parametrize("zone", ZONES)
def test_r7_random_expressions_around_changes(office: Connection, zone: str) -> None:
    chance = random.Random(zone)
    days = shift_days(zone, FIRST_YEAR, LAST_YEAR)
    starts = [day - 2 * DAY for day in chance.sample(days, min(len(days), STRETCHES - 1))]
    while len(starts) < STRETCHES:
        starts.append(datetime(FIRST_YEAR, 1, 1, tzinfo=UTC) + chance.randrange(13_000) * DAY)

    expressions = Expressions(chance)
    doubts = []
    for start in starts:
        if doubt := disagreement(office, zone, start - 2 * DAY, start + LENGTH + DAY):
            doubts.append(doubt)
            continue
        walk = Walk(zone, start, start + LENGTH)
        cases = [
            (expressions.one(), zone, start + timedelta(minutes=chance.randrange(4 * 24 * 60)))
            for _ in range(CASES)
        ]
        compare(office, cases, walk)
    if len(doubts) == len(starts):
        pytest.skip("; ".join(doubts))


@pytest.mark.parametrize("zone", ["America/Santiago", "Europe/Berlin"])
def test_r7_expressions_that_wait_for_months(office: Connection, zone: str) -> None:
    """As above over a year and more, for expressions that fire on few days."""
    chance = random.Random(zone)
    start, length = datetime(2024, 1, 20, tzinfo=UTC), 400 * DAY
    if doubt := disagreement(office, zone, start - 2 * DAY, start + length + DAY):
        pytest.skip(doubt)
    walk = Walk(zone, start, start + length)
    expressions = Expressions(chance)
    seldom = [
        f"{chance.randrange(60)} {chance.randrange(24)} {expressions.field(1, 31, wild=0.2)} "
        f"{expressions.field(1, 12, wild=0.1)} {expressions.field(0, 7, wild=0.4)}"
        for _ in range(40)
    ]
    compare(office, [(text, zone, start) for text in seldom], walk)


def compare(office: Connection, cases: list[tuple[str, str, datetime]], walk: Walk) -> None:
    """The office's first three fires are the walk's, as far as the walk goes."""
    for (expression, zone, after), answer in zip(cases, fires_or_none(office, cases), strict=True):
        expected = list(islice(walk.fires(Expression(expression), after), 3))
        seen = [fire for fire in answer if fire < walk.end]
        assert seen == expected, f"{expression} in {zone} after {after}"


def fires_or_none(office: Connection, cases: list[tuple[str, str, datetime]]) -> list[list[datetime]]:
    """The fires of each case; none where no month has such a day, as 30 February, which is refused."""
    possible = [case for case in cases if ever_matches(Expression(case[0]))]
    found = dict(zip(possible, fires(office, possible), strict=True))
    return [found.get(case, []) for case in cases]


def ever_matches(expression: Expression) -> bool:
    """Does any day of the 28 years after which days of the week come again match?"""
    return expression.months - {2, 4, 6, 9, 11} != set() or any(
        expression.names_day(datetime(2000, 1, 1) + n * DAY) for n in range(28 * 366)
    )


@pytest.mark.parametrize(("zone", "day"), SECONDS, ids=[zone for zone, _ in SECONDS])
def test_r5_odd_seconds_lose_no_minute(office: Connection, zone: str, day: datetime) -> None:
    """A minute of which a shift leaves some seconds fires at the first of them. Walked by seconds."""
    start, end = day - timedelta(hours=12), day + 2 * DAY
    if doubt := disagreement(office, zone, start - 2 * DAY, end + DAY):
        pytest.skip(doubt)
    offsets = {at.astimezone(ZoneInfo(zone)).utcoffset() for at in (start, end)}
    assert len(offsets) == 2, "the clocks change on this day"
    walk = Walk(zone, start, end, step=timedelta(seconds=1))
    expression = "*/4,6 * * * *"
    (answer,) = fires(office, [(expression, zone, start)], 1000)
    assert [fire for fire in answer if fire < end] == list(walk.fires(Expression(expression), start))
