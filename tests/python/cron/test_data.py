"""R3-R6: every line of tests/data/cron.jsonl and cron-refused.jsonl."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest

from .conftest import Connection, disagreement, fires

DATA = Path(__file__).resolve().parents[2] / "data"
Line = dict[str, Any]


def lines(name: str) -> list[Line]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


LINES = [line for line in lines("cron.jsonl") if line["fires"]]
REFUSED = lines("cron-refused.jsonl") + [line for line in lines("cron.jsonl") if not line["fires"]]


def named(line: Line) -> str:
    return " ".join([line["expression"], line["timezone"], line.get("after", "")])


@pytest.fixture(scope="module")
def answers(office: Connection) -> dict[str, list[datetime]]:
    """What the office says to each line."""
    cases = [(line["expression"], line["timezone"], instant(line["after"])) for line in LINES]
    return dict(zip(map(named, LINES), fires(office, cases), strict=True))


@pytest.fixture(scope="module")
def doubts(office: Connection) -> Any:
    """By zone and year: why the case maker's fires cannot hold here, or None; told by the offsets alone."""

    @cache
    def doubt(zone: str, year: int) -> str | None:
        start = datetime(year, 1, 1, tzinfo=UTC)
        return disagreement(office, zone, start - timedelta(days=1), start + timedelta(days=367))

    return doubt


@pytest.mark.parametrize("line", LINES, ids=named)
def test_r5_line(line: Line, answers: dict[str, list[datetime]], doubts: Any) -> None:
    expected = [instant(fire) for fire in line["fires"]]
    for year in range(instant(line["after"]).year, expected[-1].year + 1):
        if doubt := doubts(line["timezone"], year):
            pytest.skip(doubt)
    assert answers[named(line)] == expected


@pytest.mark.parametrize("line", REFUSED, ids=named)
def test_r6_line_is_refused(line: Line, office: Connection) -> None:
    with pytest.raises(psycopg.Error) as refused:
        office.execute("select office.cron_next(%s, %s)", [line["expression"], line["timezone"]])
    assert refused.value.sqlstate == "PT422"
    detail = json.loads(refused.value.diag.message_detail or "")
    assert detail["code"] == ("bad_timezone" if line["expression"] == "0 9 * * *" else "bad_cron")
    assert detail["field"]
    assert refused.value.diag.message_hint
