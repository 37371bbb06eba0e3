"""Q19, sc-W16: office.read_rate_limit on messages of agent CLIs and model APIs, and on anything else."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Connection = psycopg.Connection[Any]
Answer = tuple[bool, datetime | None, str | None]

DATA = Path(__file__).resolve().parents[2] / "data"
FILES = ("rate-limits.jsonl", "rate-limits-more.jsonl")
NOW = datetime(2026, 6, 10, 10, tzinfo=UTC)
WORDS = (
    "429", "rate limit", "Usage limit reached", "resets", "try again in", "Retry-After:", "at", "in", "|",
    "\u00b7", "(", ")", ":", "7pm", "25:61", "Feb 30", "Oct 12,", "Tuesday", "tomorrow", "2026-02-31",
    "99/99/2026", "1781100000", "9" * 30, "-1", "1e9", "5", "minutes", "h", "m", "s", "ms", "Europe/Berlin",
    "Europe/Barcelona", "(Etc/GMT+99)", "UTC+99:99", "<+05>-05", '{"resetsAt":', '"retryDelay":"', '"}',
    "x-ratelimit-reset: ", "\n", "\r", "\t", "\x1b[1m", "\\u001b[", "\\n", "\u00a0",
    # Digits and letters that some programs take for others.
    "\u0663", "\u00b2", "\u00bd", "\u017fep 1",
)  # fmt: skip


def lines(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / file).read_text().split("\n") if line]


CASES = [
    pytest.param(case, id=f"{file.removesuffix('.jsonl')}-{number}")
    for file in FILES
    for number, case in enumerate(lines(file), 1)
]


@pytest.fixture(scope="module")
def reader(cluster_dsn: str, template: str) -> Iterator[Connection]:
    """A session in the deployed template, which reading leaves as it is."""
    with psycopg.connect(cluster_dsn, dbname=template) as connection:
        yield connection
        connection.rollback()


def read(reader: Connection, text: str | None, at: datetime | None = NOW, zone: str | None = "UTC") -> Answer:
    rows = reader.execute("select * from office.read_rate_limit(%s, %s, %s)", [text, at, zone]).fetchall()
    assert len(rows) == 1
    answer: Answer = rows[0]
    return answer


@pytest.mark.parametrize("case", CASES)
def test_q19_a_message_is_read(reader: Connection, case: dict[str, Any]) -> None:
    """Q19, sc-W16."""
    is_limit, reset_at, pattern = read(
        reader, case["text"], datetime.fromisoformat(case["now"]), case["zone"]
    )
    assert is_limit is case["is_limit"], case["why"]
    if case["reset_at"] is None:
        assert reset_at is None, case["why"]
    else:
        expected = datetime.fromisoformat(case["reset_at"])
        assert reset_at is not None, case["why"]
        assert abs(reset_at - expected) < timedelta(milliseconds=1), case["why"]
        assert pattern is not None


def test_q19_the_files_hold_what_a_naive_reader_gets_wrong() -> None:
    """Q19: the cases can tell a reader from one that only looks for words."""
    words = ("rate limit", "rate_limit", "429", "too many requests", "quota exceeded", "usage limit")
    told = [case for file in FILES for case in lines(file)]
    naive = [any(word in case["text"].lower() for word in words) == case["is_limit"] for case in told]
    assert len(told) > 300
    assert naive.count(False) > 60


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("429 Retry-After: 5", "retry_after"),
        ('{"type":"usage_limit_reached","resetsAt":1781100000}', "reset_field"),
        ('429 {"retryDelay":"5s"}', "reset_field"),
        ("429 x-ratelimit-reset: 5s", "reset_header"),
        ("rate limit, try again in 5s", "try_again_in"),
        ("usage limit reached, resets 7pm", "reset_time"),
        ("usage limit reached, resets 77:77", "reset_time"),
        ("Your credit balance is too low", "credit"),
        ("429", None),
        ("all is well", None),
    ],
)
def test_q19_it_says_what_it_read(reader: Connection, text: str, pattern: str | None) -> None:
    """Q19, Q24: pattern names the source, also of a time that is not used; credit waits for a person."""
    assert read(reader, text)[2] == pattern


def test_q19_the_session_plays_no_part(reader: Connection) -> None:
    """Q19: the same answers whatever zone and styles the session has."""

    def answers() -> list[Answer]:
        sample = [case for file in FILES for case in lines(file)][::5]
        return [
            read(reader, case["text"], datetime.fromisoformat(case["now"]), case["zone"]) for case in sample
        ]

    before = answers()
    with reader.transaction(force_rollback=True):
        reader.execute("set local timezone = 'America/Santiago'")
        reader.execute("set local datestyle = 'ISO, DMY'")
        reader.execute("set local intervalstyle = 'sql_standard'")
        assert answers() == before


def test_q19_nothing_given_means_now_and_utc(reader: Connection) -> None:
    """Q19: null arguments are the defaults, and null is no limit."""
    before = datetime.now(UTC)
    is_limit, reset_at, _ = read(reader, "rate limit, try again in 1 hour", None, None)
    assert is_limit
    assert reset_at is not None
    assert abs(reset_at - before - timedelta(hours=1)) < timedelta(minutes=1)
    assert read(reader, None) == (False, None, None)


@given(
    text=st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=25).map(" ".join),
    zone=st.text(max_size=12),
)
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_q19_no_text_makes_it_raise(reader: Connection, text: str, zone: str) -> None:
    """Q19: whatever a program prints, the answer is one row, and a reset that can be used."""
    printable = text.encode("utf-8", "ignore").decode().replace("\0", "")
    is_limit, reset_at, pattern = read(
        reader, printable, NOW, zone.encode("utf-8", "ignore").decode().replace("\0", "")
    )
    assert is_limit or (reset_at is None and pattern is None)
    assert reset_at is None or NOW - timedelta(seconds=30) <= reset_at <= NOW + timedelta(days=8)


HUGE = {
    "a letter": "a",
    "a digit": "7",
    "429": "429 ",
    "lines": "\n",
    "blanks": " ",
    "brackets": "{[(",
    "quotes": "\"'",
    "escapes": "\x1b[",
    "backslashes": "\\",
    "leads": "resets try again in ",
    "moments": "rate limit resets Oct 12, 8am ",
    "waits": "retry in 5 Oct 6 Dec ",
    "fields": '{"resetsAt":',
    "headers": "x-ratelimit-reset-a: 1s\n",
    "diff": "diff --git a b\n+",
    "wide": "\U0001d7dc r\u00e9sum\u00e9 ",
    "prose": "you've hit your very own and most special kind of ",
}


@pytest.mark.parametrize("piece", HUGE.values(), ids=HUGE.keys())
def test_q19_a_long_text_is_read_at_its_ends(reader: Connection, piece: str) -> None:
    """Q19: whatever comes before it, the limit at the end is seen, and ten times the text costs no more."""

    def seconds(size: int) -> float:
        text = (piece * (size // len(piece) + 1))[:size] + "\nrate limit reached, try again in 5s"
        took = []
        for _ in range(3):
            began = time.perf_counter()
            assert read(reader, text)[0]
            took.append(time.perf_counter() - began)
        return min(took)

    hundred_kilobytes = seconds(100_000)
    assert hundred_kilobytes < 0.5
    assert seconds(1_000_000) < 3 * hundred_kilobytes + 0.1
