"""R3, R4, R6: what is refused, why, and in which field; and nothing else ever comes out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import Connection

FUZZ = settings(max_examples=400, deadline=None)
FUZZ_ZONES = settings(FUZZ, max_examples=80)  # each looks for the nearest name


def refusal(office: Connection, *arguments: object) -> tuple[dict[str, Any], str, str]:
    """Detail, message and hint with which office.cron_next refuses; the test fails when it does not."""
    with pytest.raises(psycopg.Error) as refused:
        places = ", ".join(["%s"] * len(arguments))
        office.execute(f"select office.cron_next({places})".encode(), arguments)
    assert refused.value.sqlstate == "PT422", refused.value
    diag = refused.value.diag
    return json.loads(diag.message_detail or "{}"), diag.message_primary or "", diag.message_hint or ""


EXPRESSIONS = [
    # expression, field, value, in the message, in the hint
    (None, "expression", None, "is empty", "minute, hour"),
    ("", "expression", "", "is empty", "minute, hour"),
    (" \t ", "expression", " \t ", "is empty", "minute, hour"),
    ("0 9 * *", "expression", "0 9 * *", "five fields, not 4", "minute, hour"),
    ("0 0 9 * * *", "expression", "0 0 9 * * *", "five fields, not 6", "minute, hour"),
    ("@every 5m", "expression", "@every 5m", 'no "@every 5m"', "@hourly"),
    ("@midnight", "expression", "@midnight", 'no "@midnight"', "@hourly"),
    (
        "TZ=Asia/Tokyo 0 9 * * *",
        "expression",
        "TZ=Asia/Tokyo 0 9 * * *",
        "does not name its time zone",
        "time zone",
    ),
    ("CRON_TZ=UTC 9 * * *", "expression", "CRON_TZ=UTC 9 * * *", "does not name its time zone", "time zone"),
    ("60 * * * *", "minute", "60", '0 to 59, not "60"', "*/15"),
    ("* 24 * * *", "hour", "24", '0 to 23, not "24"', "*/15"),
    ("* * 0 * *", "day of month", "0", '1 to 31, not "0"', "*/15"),
    ("* * L * *", "day of month", "l", 'not "l"', "L and W"),
    ("* * 15W * *", "day of month", "15w", 'not "15w"', "L and W"),
    ("* * * 13 *", "month", "13", '1 to 12, not "13"', "jan feb"),
    ("* * * mon *", "month", "mon", 'not "mon"', "jan feb"),
    ("* * * january *", "month", "january", 'not "january"', "jan feb"),
    ("* * * * 8", "day of week", "8", '0 to 7, not "8"', "sun mon"),
    ("* * * * jan", "day of week", "jan", 'not "jan"', "sun mon"),
    ("* * * * 1#2", "day of week", "1#2", 'cannot be "1#2"', "# and ?"),
    ("* * ? * *", "day of month", "?", 'cannot be "?"', "# and ?"),
    ("1,,2 * * * *", "minute", "", 'cannot be ""', "commas"),
    ("1, * * * *", "minute", "", 'cannot be ""', "commas"),
    ("-1 * * * *", "minute", "-1", 'cannot be "-1"', "ranges"),
    ("1.5 * * * *", "minute", "1.5", 'cannot be "1.5"', "ranges"),
    ("*/ * * * *", "minute", "*/", 'cannot be "*/"', "steps"),
    ("*-5 * * * *", "minute", "*-5", 'cannot be "*-5"', "ranges"),
    ("٣ * * * *", "minute", "٣", 'cannot be "٣"', "values"),
    ("0\u00a09 * * * *", "minute", "0\u00a09", "cannot be", "values"),
    ("*/0 * * * *", "minute", "*/0", "is 0", "1 or more"),
    ("1-9/00 * * * *", "minute", "1-9/00", "is 0", "1 or more"),
    ("5/15 * * * *", "minute", "5/15", "no range", "Write 5-59/15."),
    ("* 22-5 * * *", "hour", "22-5", "backwards", "Write 22-23,0-5."),
    ("* * * * fri-sun", "day of week", "fri-sun", "backwards", "Write 5-7,0-0."),
    ("99999999999999999999 * * * *", "minute", "9" * 20, "0 to 59", "numbers"),
    ("0 0 30 2 *", "day of month", "0 0 30 2 *", "never fires", "29 days"),
    ("0 0 31 2,4,6,9,11 *", "day of month", "0 0 31 2,4,6,9,11 *", "never fires", "29 days"),
    ("0 0 30 feb */2", "day of month", "0 0 30 feb */2", "never fires", "29 days"),
]


@pytest.mark.parametrize(("expression", "field", "value", "message", "hint"), EXPRESSIONS)
def test_r6_expression_is_refused_with_its_field(
    office: Connection, expression: str | None, field: str, value: str | None, message: str, hint: str
) -> None:
    detail, said, advice = refusal(office, expression)
    assert detail == {"code": "bad_cron", "field": field, "value": value}
    assert message in said
    assert hint in advice


@pytest.mark.parametrize(
    ("expression", "zone"),
    [
        ("30 2 8-14 3 */7", "America/New_York"),
        ("0-59 2 25-31 3 */7", "Europe/Berlin"),
        ("15 0 2-8 9 */7", "America/Santiago"),
        ("15 2 1-7 10 */7", "Australia/Lord_Howe"),
    ],
)
def test_r6_a_time_that_every_forward_shift_removes_never_fires(
    office: Connection, expression: str, zone: str
) -> None:
    detail, message, hint = refusal(office, expression, zone, datetime(2026, 1, 1, tzinfo=UTC))
    assert detail == {"code": "bad_cron", "field": "hour", "value": expression}
    assert f"never fires in {zone}" in message
    assert hint
    assert office.execute("select office.cron_next(%s, 'UTC')", [expression]).fetchone() is not None


@pytest.mark.parametrize(
    ("zone", "hint"),
    [
        ("CET", "with a slash"),
        ("EST5EDT", "with a slash"),
        ("utc", "or UTC"),
        ("GMT", "or UTC"),
        ("Z", "or UTC"),
        ("+02:00", "with a slash"),
        ("EST5EDT,M3.2.0,M11.1.0", "with a slash"),
        ("<+02>-2", "with a slash"),
        ("Not/AZone", "with a slash"),
        ("Not/AZone5", "with a slash"),  # a POSIX rule to Postgres, as the next two
        ("Europe/Berlin-3", "Europe/Berlin"),
        ("Etc/GMT+15", "Etc/GMT"),
        ("posix/Europe/Berlin", "Europe/Berlin"),
        ("right/Europe/Berlin", "Europe/Berlin"),
        ("../Europe/Berlin", "Europe/Berlin"),
        ("Europe/Berln", "Did you mean Europe/Berlin?"),
        ("europe/berlin", "Did you mean Europe/Berlin?"),
        ("Europe", "with a slash"),
        ("Europe/", "with a slash"),
        ("A/" + "a" * 100_000, "with a slash"),
    ],
)
def test_r4_zone_is_refused(office: Connection, zone: str, hint: str) -> None:
    detail, message, advice = refusal(office, "0 9 * * *", zone)
    assert detail == {"code": "bad_timezone", "field": "timezone", "value": zone[:60]}
    assert zone[:60] in message
    assert hint in advice


def test_r4_every_zone_of_the_server_with_a_slash_is_one(office: Connection) -> None:
    """None is refused, and there are hundreds."""
    row = office.execute(
        """
        select count(office.cron_next('* * * * *', name)) > 400
        from pg_timezone_names
        where name like '%/%' and name !~ '^(posix|right)/'
        """
    ).fetchone()
    assert row == (True,)


@pytest.mark.parametrize("zone", [None, "", "  ", "UTC"])
def test_r4_no_zone_means_utc(office: Connection, zone: str | None) -> None:
    office.execute("set timezone = 'Asia/Tokyo'")
    try:
        row = office.execute(
            "select office.cron_next('0 9 * * *', %s, '2026-07-01 00:00+00') = '2026-07-01 09:00+00'", [zone]
        ).fetchone()
    finally:
        office.execute("set timezone = 'UTC'")
    assert row == (True,)


@pytest.mark.parametrize("after", ["infinity", "-infinity", "0044-03-15 BC", "9999-06-01"])
def test_r6_a_time_beyond_the_calendar_is_refused(office: Connection, after: str) -> None:
    detail, _, hint = refusal(office, "* * * * *", "UTC", after)
    assert detail == {"code": "invalid", "field": "after"}
    assert hint


@pytest.mark.parametrize("count", [0, -1, 1001, None])
def test_r7_count_of_fires(office: Connection, count: int | None) -> None:
    with pytest.raises(psycopg.Error) as refused:
        office.execute("select office.cron_fires('* * * * *', 'UTC', null, %s)", [count])
    assert refused.value.sqlstate == "PT422"
    assert json.loads(refused.value.diag.message_detail or "") == {"code": "invalid", "field": "count"}


# Fuzz: whatever the text, an instant or a refusal with a code, a field and a hint.

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
PIECES = [
    "*",
    ",",
    "-",
    "/",
    "0",
    "5",
    "7",
    "59",
    "60",
    "*/2",
    "1-5",
    "5-1",
    "jan",
    "SUN",
    "mon-fri",
    "L",
    "W",
    "#",
    "?",
    "@daily",
    "TZ=",
    "1/2",
    "²",
    "\xa0",
    "\t",
]
LIKE_CRON = st.lists(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), max_size=7).map(" ".join)
ZONE_PIECES = [
    "Europe",
    "Berlin",
    "/",
    "UTC",
    "Etc",
    "GMT",
    "+",
    "-",
    "5",
    "_",
    "posix",
    "America",
    "Port-au-Prince",
    "EST5EDT",
    "<>",
]
LIKE_ZONES = st.lists(st.sampled_from(ZONE_PIECES), max_size=5).map("".join)


@FUZZ
@given(expression=st.one_of(TEXT, LIKE_CRON))
def test_r6_no_text_raises_anything_but_a_refusal(office: Connection, expression: str) -> None:
    answered_or_refused(office, expression, "Europe/Berlin")


@FUZZ_ZONES
@given(zone=st.one_of(TEXT, LIKE_ZONES))
def test_r4_no_zone_raises_anything_but_a_refusal(office: Connection, zone: str) -> None:
    answered_or_refused(office, "0 9 * * *", zone)


@pytest.mark.parametrize("expression", ["1," * 100_000 + "1 * * * *", "* " * 100_000, "x" * 1_000_000])
def test_r6_long_texts(office: Connection, expression: str) -> None:
    answered_or_refused(office, expression, "UTC")


def answered_or_refused(office: Connection, expression: str, zone: str) -> None:
    try:
        row = office.execute("select office.cron_next(%s, %s)", [expression, zone]).fetchone()
        assert row is not None and isinstance(row[0], datetime)
    except psycopg.Error as error:
        assert error.sqlstate == "PT422", error
        detail = json.loads(error.diag.message_detail or "")
        assert detail["code"] in ("bad_cron", "bad_timezone") and detail["field"] and error.diag.message_hint
        assert len(error.diag.message_primary or "") < 250
