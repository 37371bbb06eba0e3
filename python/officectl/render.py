"""Rows for people and for programs.

On a terminal a table fits the window, its long cells cut; in a pipe the columns are aligned by spaces, whole
and without colour codes; as JSON everything that is known is given, in an object with a schema version.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from officectl.errors import UsageProblem

SCHEMA_VERSION = 1
"""Version of the shape of JSON output; it rises when a field changes its meaning or goes away."""

GAP = 2
"""Columns of space between two columns on a terminal."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Layout:
    """How to show: `format` is table, wide or json; `fields` picks fields of JSON, None means all of them."""

    format: str = "table"
    fields: tuple[str, ...] | None = None

    @property
    def json(self) -> bool:
        return self.format == "json"


def show_rows(
    rows: Sequence[Row], columns: Sequence[str], *, layout: Layout, wide: Sequence[str] = (), empty: str
) -> None:
    """A list: `columns` in a table, `wide` ones too where asked for; `empty` is said on stderr."""
    if layout.json:
        show_json(rows, layout)
        return
    if not rows:
        click.echo(empty, err=True)
        return
    shown = [*columns, *wide] if layout.format == "wide" else list(columns)
    cells = [[_one_line(text(row[column])) for column in shown] for row in rows]
    headings = [column.replace("_", " ").upper() for column in shown]
    if sys.stdout.isatty():
        _draw(headings, cells)
    else:
        _align(headings, cells)


def show_record(row: Row, *, layout: Layout, fields: Sequence[str] | None = None) -> None:
    """One thing, a line a field, what is empty left out; many-lined values are indented below their name."""
    if layout.json:
        show_json([row], layout)
        return
    names = [name for name in (fields or row) if row[name] not in (None, "", [], {})]
    width = max((len(name) for name in names), default=0) + 1
    for name in names:
        label = name.replace("_", " ") + ":"
        value = text(row[name])
        if "\n" in value:
            click.echo(label)
            click.echo(indented(value))
        else:
            click.echo(f"{label:<{width}} {value}")


def show_json(rows: Sequence[Row], layout: Layout) -> None:
    """`{"schema_version": 1, "items": […]}`; uuids and times as text, intervals in seconds."""
    items = [_picked(row, layout.fields) for row in rows]
    document = {"schema_version": SCHEMA_VERSION, "items": items}
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, default=_plain))


def heading(title: str) -> None:
    """A title over the part that follows, with a blank line before it."""
    click.echo()
    click.secho(title, bold=True)


def text(value: Any) -> str:
    """One value as people read it; control characters, which a terminal would obey, are made visible."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case datetime():
            return value.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        case timedelta():
            return duration(value)
        case dict() | list():
            return json.dumps(value, ensure_ascii=False, default=_plain)
        case _:
            return printable(str(value))


def duration(length: timedelta) -> str:
    """0.25s, 12.3s, 4m 05s, 3h 20m, 2d 4h."""
    seconds = length.total_seconds()
    if seconds < 1:
        return f"{seconds:.2f}s"
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}d {hours}h"
    if hours:
        return f"{hours}h {minutes:02}m"
    return f"{minutes}m {seconds:02}s"


def printable(value: str) -> str:
    """Text from outside without its colours, and with its other control characters replaced."""
    bare = click.unstyle(value).expandtabs(4)
    return "".join(
        sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in bare
    )


def indented(value: str) -> str:
    return "\n".join(f"  {line}" for line in value.splitlines())


def _one_line(value: str) -> str:
    return " ".join(value.split()) or "-"


def _draw(headings: list[str], cells: list[list[str]]) -> None:
    console = Console()
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
    widths = _fitted(_widths([headings, *cells]), console.width)
    for name, width in zip(headings, widths, strict=True):
        table.add_column(name, no_wrap=True, overflow="ellipsis", width=width)
    for line in cells:
        table.add_row(*(Text(cell) for cell in line))
    console.print(table)


def _fitted(widths: list[int], room: int) -> list[int]:
    """The widths of columns in a window: the narrowest as they are, the widest share what is left."""
    left = room - GAP * (len(widths) - 1)
    fitted = list(widths)
    by_width = sorted(range(len(widths)), key=widths.__getitem__)
    for done, column in enumerate(by_width):
        fitted[column] = max(1, min(widths[column], left // (len(widths) - done)))
        left -= fitted[column]
    return fitted


def _align(headings: list[str], cells: list[list[str]]) -> None:
    lines = [headings, *cells]
    widths = _widths(lines)
    for line in lines:
        click.echo("   ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())


def _widths(lines: list[list[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*lines, strict=True)]


def _picked(row: Row, fields: tuple[str, ...] | None) -> dict[str, Any]:
    if fields is None:
        return dict(row)
    unknown = [name for name in fields if name not in row]
    if unknown:
        raise UsageProblem(f"No field {unknown[0]} here.", hint=f"The fields are {', '.join(row)}.")
    return {name: row[name] for name in fields}


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal():
            return float(value)
        case _:
            return str(value)
