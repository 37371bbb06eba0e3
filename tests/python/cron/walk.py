"""The second opinion on cron (R7): brute force over real time with Python's clocks.

`Walk` looks at every real minute (or second) of a stretch of time in a zone and knows which of them are the
first of their wall-clock minute. `Expression` says for a wall-clock minute whether cron names it.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


class Expression:
    """A valid cron expression as sets of numbers."""

    def __init__(self, text: str) -> None:
        minute, hour, day, month, weekday = text.lower().split()
        self.minutes = values(minute, 0, 59)
        self.hours = values(hour, 0, 23)
        self.days = values(day, 1, 31)
        self.months = values(month, 1, 12, MONTHS)
        self.weekdays = {number % 7 for number in values(weekday, 0, 7, DAYS)}
        self.both_days = day.startswith("*") or weekday.startswith("*")

    def names(self, local: datetime) -> bool:
        """Is the wall-clock minute of `local` one of the expression's?"""
        return local.minute in self.minutes and local.hour in self.hours and self.names_day(local)

    def names_day(self, local: datetime) -> bool:
        day, weekday = local.day in self.days, local.isoweekday() % 7 in self.weekdays
        return local.month in self.months and (day and weekday if self.both_days else day or weekday)


def values(field: str, least: int, greatest: int, names: list[str] | None = None) -> set[int]:
    """The numbers that a field names."""

    def number(word: str) -> int:
        return names.index(word) + least if names and word in names else int(word)

    found: set[int] = set()
    for item in field.split(","):
        span, _, step = item.partition("/")
        first, _, last = span.partition("-")
        low, high = (least, greatest) if span == "*" else (number(first), number(last or first))
        found.update(range(low, high + 1, int(step or 1)))
    return found


class Walk:
    """The instants from `start` to `end` that are the first of their minute on a zone's clocks, in order."""

    def __init__(self, zone: str, start: datetime, end: datetime, step: timedelta = MINUTE) -> None:
        clock = ZoneInfo(zone)
        self.end = end
        self.slots: list[tuple[datetime, datetime]] = []
        seen: set[datetime] = set()
        at = start - DAY - timedelta(hours=2)  # no shift repeats more than a day
        while at < end:
            local = at.astimezone(clock).replace(tzinfo=None, second=0, fold=0)
            if local not in seen:
                seen.add(local)
                if at >= start:
                    self.slots.append((at, local))
            at += step

    def fires(self, expression: Expression, after: datetime) -> Iterator[datetime]:
        """Every instant after `after` at which the expression fires."""
        minutes, hours = expression.minutes, expression.hours
        begin = bisect_right(self.slots, after, key=lambda slot: slot[0])
        for at, local in self.slots[begin:]:
            if local.minute in minutes and local.hour in hours and expression.names_day(local):
                yield at


def shift_days(zone: str, first_year: int, last_year: int) -> list[datetime]:
    """The UTC midnights before a change of the zone's offset."""
    clock = ZoneInfo(zone)
    days = [
        datetime(first_year, 1, 1, tzinfo=UTC) + n * DAY for n in range(366 * (last_year + 1 - first_year))
    ]
    offsets = [day.astimezone(clock).utcoffset() for day in days]
    return [day for day, before, after in zip(days, offsets, offsets[1:], strict=False) if before != after]


class Expressions:
    """Random valid expressions; most of them fire often."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def one(self) -> str:
        everyday = self.chance.random() < 0.7
        day, month, weekday = ("*", "*", "*")
        if not everyday:
            day = self.field(1, 31, wild=0.5)
            month = self.field(1, 12, MONTHS, wild=0.8)
            weekday = self.field(0, 7, DAYS, wild=0.5)
        hour = self.field(0, 23, wild=0.5)
        if self.chance.random() < 0.4:  # the hours in which clocks are changed
            hour = self.chance.choice(["0", "1", "2", "3", "23", "0,1", "1,2", "0-3", "22,23"])
        text = " ".join([self.field(0, 59, wild=0.25), hour, day, month, weekday])
        return text.upper() if self.chance.random() < 0.1 else text

    def field(self, least: int, greatest: int, names: list[str] | None = None, *, wild: float) -> str:
        if self.chance.random() < wild:
            return "*"
        return ",".join(self.item(least, greatest, names) for _ in range(self.chance.choice([1, 1, 1, 2, 3])))

    def item(self, least: int, greatest: int, names: list[str] | None) -> str:
        low, high = sorted(self.chance.choices(range(least, greatest + 1), k=2))
        kind = self.chance.random()
        if kind < 0.2:
            return f"*/{self.chance.choice([2, 3, 5, 7, 15, 20, 30])}"
        if kind < 0.4:
            return f"{self.word(low, least, names)}-{self.word(high, least, names)}"
        if kind < 0.55:
            return f"{low}-{high}/{self.chance.randint(1, 9)}"
        return self.word(low, least, names)

    def word(self, number: int, least: int, names: list[str] | None) -> str:
        if names and number - least < len(names) and self.chance.random() < 0.5:
            return names[number - least]
        return str(number)
