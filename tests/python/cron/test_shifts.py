"""R5 by hand: the slots of days on which the clocks change, and naive ways to find them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from croniter import croniter

from .conftest import Connection, fires
from .test_data import LINES, instant, named

# Rules long in force, which the zone data of every server have. Expression, zone, after, fires; all in UTC.
CASES = {
    "a removed slot is skipped, not moved": (
        "30 2 * * *",
        "Europe/Berlin",
        "2024-03-29 12:00",
        ["2024-03-30 01:30", "2024-04-01 00:30", "2024-04-02 00:30"],
    ),
    "a repeated slot fires on its first occurrence": (
        "30 2 * * *",
        "Europe/Berlin",
        "2024-10-26 12:00",
        ["2024-10-27 00:30", "2024-10-28 01:30"],
    ),
    "in its second occurrence a slot has been": (
        "30 2 * * *",
        "Europe/Berlin",
        "2024-10-27 01:10",
        ["2024-10-28 01:30"],
    ),
    "a wildcard is silent in the repeated hour": (
        "* * * * *",
        "Europe/Berlin",
        "2024-10-27 00:58",
        ["2024-10-27 00:59", "2024-10-27 02:00", "2024-10-27 02:01"],
    ),
    "a wildcard leaves nothing out as the hour is removed": (
        "* * * * *",
        "America/New_York",
        "2024-03-10 06:58",
        ["2024-03-10 06:59", "2024-03-10 07:00", "2024-03-10 07:01"],
    ),
    "Lord Howe removes half an hour": (
        "15,45 2 * * *",
        "Australia/Lord_Howe",
        "2024-10-05 00:00",
        ["2024-10-05 15:45", "2024-10-06 15:15"],
    ),
    "Lord Howe repeats half an hour": (
        "0,30 1 * * *",
        "Australia/Lord_Howe",
        "2024-04-06 00:00",
        ["2024-04-06 14:00", "2024-04-06 14:30", "2024-04-07 14:30"],
    ),
    "Santiago removes midnight, and the day keeps the rest": (
        "0 0,1 * * *",
        "America/Santiago",
        "2024-09-07 12:00",
        ["2024-09-08 04:00", "2024-09-09 03:00", "2024-09-09 04:00"],
    ),
    "Santiago repeats the hour before midnight": (
        "0,30 23 * * *",
        "America/Santiago",
        "2024-04-06 12:00",
        ["2024-04-07 02:00", "2024-04-07 02:30", "2024-04-08 03:00"],
    ),
    "Cairo removes midnight on a Friday": (
        "30 0,1 * * 5",
        "Africa/Cairo",
        "2024-04-25 12:00",
        ["2024-04-25 22:30", "2024-05-02 21:30", "2024-05-02 22:30"],
    ),
    "Cairo repeats the hour before midnight": (
        "30 23 * * *",
        "Africa/Cairo",
        "2024-10-31 12:00",
        ["2024-10-31 20:30", "2024-11-01 21:30"],
    ),
    "Beirut removes midnight": (
        "*/30 0-1 * * *",
        "Asia/Beirut",
        "2024-03-30 12:00",
        ["2024-03-30 22:00", "2024-03-30 22:30", "2024-03-31 21:00"],
    ),
    "Apia has no 30 December 2011": (
        "0 9 * * *",
        "Pacific/Apia",
        "2011-12-29 00:00",
        ["2011-12-29 19:00", "2011-12-30 19:00", "2011-12-31 19:00"],
    ),
    "Apia's missing Friday is no Friday": (
        "0 9 * * fri",
        "Pacific/Apia",
        "2011-12-24 00:00",
        ["2012-01-05 19:00"],
    ),
    "Kwajalein had most of a day twice": (
        "0 12 * * *",
        "Pacific/Kwajalein",
        "1969-09-29 12:00",
        ["1969-09-30 01:00", "1969-10-02 00:00"],
    ),
    "either day field is enough when both are restricted": (
        "0 0 13 * fri",
        "UTC",
        "2026-11-07 00:00",
        [
            "2026-11-13 00:00",
            "2026-11-20 00:00",
            "2026-11-27 00:00",
            "2026-12-04 00:00",
            "2026-12-11 00:00",
            "2026-12-13 00:00",
        ],
    ),
    "both must match when either begins with a star": (
        "0 0 */2 * 1",
        "UTC",
        "2026-01-01 00:00",
        ["2026-01-05 00:00", "2026-01-19 00:00", "2026-02-09 00:00"],
    ),
    "a star somewhere else in the list makes no difference": (
        "0 0 1,*/31 * 1",
        "UTC",
        "2026-01-01 00:00",
        ["2026-01-05 00:00", "2026-01-12 00:00"],
    ),
    "a leap day of one day of the week can be forty years away": (
        "0 0 29 2 */7",
        "UTC",
        "2088-03-01 00:00",
        ["2128-02-29 00:00"],
    ),
    "blanks, zeros, capitals and Sunday as 7": (
        " \t005   9\t*  JAN,feb   Sat-7 \n",
        "UTC",
        "2026-12-01 00:00",
        ["2027-01-02 09:05", "2027-01-03 09:05"],
    ),
    "@weekly": ("@weekly", "UTC", "2026-01-01 00:00", ["2026-01-04 00:00"]),
    "@monthly": ("@Monthly", "UTC", "2026-01-01 00:00", ["2026-02-01 00:00"]),
    "@yearly": ("@yearly", "UTC", "2026-01-01 00:00", ["2027-01-01 00:00"]),
    "@daily": ("@daily", "Asia/Kathmandu", "2026-01-01 00:00", ["2026-01-01 18:15"]),
    "@hourly": ("@hourly", "Asia/Kathmandu", "2026-01-01 00:00", ["2026-01-01 00:15"]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_r5_by_hand(office: Connection, case: tuple[str, str, str, list[str]]) -> None:
    expression, zone, after, expected = case
    (answer,) = fires(office, [(expression, zone, instant(f"{after}+00:00"))], len(expected))
    assert [f"{fire:%Y-%m-%d %H:%M}" for fire in answer] == expected


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Apia", "America/Juneau", "Europe/Berlin", "Asia/Kathmandu"])
def test_r4_the_session_has_no_say(office: Connection, zone: str) -> None:
    """Whatever zone the client's session is in, the answers are the same."""
    cases = [(line["expression"], line["timezone"], instant(line["after"])) for line in LINES[:60]]
    cases.append(("30 9 * * *", "America/Juneau", instant("1867-10-17T00:00:00+00:00")))
    usual = fires(office, cases)
    office.execute("select set_config('timezone', %s, false)", [zone])
    try:
        answers = fires(office, cases)
    finally:
        office.execute("set timezone = 'UTC'")
    # Python never takes a repeated time for the same instant in another zone.
    assert [[fire.astimezone(UTC) for fire in answer] for answer in answers] == usual


def test_k13_croniter_breaks_the_rule(office: Connection) -> None:
    """The library that this engine is not fires removed slots and repeats others, on the very same lines."""
    wrong = []
    for line in LINES:
        naive = croniter(line["expression"], instant(line["after"]).astimezone(ZoneInfo(line["timezone"])))
        if [naive.get_next(datetime) for _ in line["fires"]] != [instant(fire) for fire in line["fires"]]:
            wrong.append(named(line))
    assert len(wrong) > 20


def test_k13_the_plain_cast_breaks_the_rule(office: Connection) -> None:
    """`local at time zone z` alone: moves what is removed, and takes the second of what is repeated."""
    removed, repeated = office.execute(
        """
        select
          timestamp '2024-03-31 02:30' at time zone 'Europe/Berlin' = timestamptz '2024-03-31 01:30+00',
          timestamp '2024-10-27 02:30' at time zone 'Europe/Berlin' = timestamptz '2024-10-27 01:30+00'
        """
    ).fetchone() or (None, None)
    assert removed and repeated
