"""Tables of figures: on the terminal, and in RESULTS.md, a section a rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table as Rendered

HEAD = """# Results

The last figures of `make bench`, a section a rule of [the specification](../docs/spec/quality.md). Each
section was measured in one run on one machine, under the settings that it names: compare figures within a
section, and take the ratios with you, not the absolute numbers. `make bench ARGS="--only K1"` measures one
section anew and replaces it here.
"""


@dataclass
class Table:
    """Figures of one kind."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def numeric(self, column: int) -> bool:
        """Whether a column's cells begin with a digit, and are set to the right."""
        return all(cells[column][:1].isdigit() for cells in self.rows)

    def add(self, *cells: object) -> None:
        self.rows.append([str(cell) for cell in cells])


@dataclass
class Section:
    """What was measured of one rule, with what it is worth nothing without."""

    rule: str
    title: str
    settings: str
    tables: list[Table]


def show(section: Section, console: Console) -> None:
    console.rule(f"{section.rule} {section.title}")
    for table in section.tables:
        rendered = Rendered(title=table.title, title_justify="left")
        for number, column in enumerate(table.columns):
            rendered.add_column(column, justify="right" if table.numeric(number) else "left")
        for row in table.rows:
            rendered.add_row(*row)
        console.print(rendered)
        for note in table.notes:
            console.print(f"  {note}")


def write(sections: Sequence[Section], path: Path) -> None:
    """Put these sections into the file, each in place of the one of its rule that is there."""
    kept = {}
    if path.exists():
        for text in re.split(r"^(?=## )", path.read_text(), flags=re.MULTILINE)[1:]:
            kept[text.split()[1]] = text.strip()
    kept |= {section.rule: markdown(section) for section in sections}
    ordered = sorted(kept.items(), key=lambda item: (item[0][0], int(item[0][1:])))
    path.write_text("\n\n".join([HEAD.strip(), *(text for _, text in ordered)]) + "\n")


def markdown(section: Section) -> str:
    lines = [f"## {section.rule} {section.title}", "", section.settings]
    for table in section.tables:
        lines += ["", f"**{table.title}**", "", row(table.columns)]
        lines += [
            row(["---:" if table.numeric(number) else "---" for number in range(len(table.columns))]),
            *map(row, table.rows),
        ]
        lines += ["", *(f"- {note}" for note in table.notes)] if table.notes else []
    return "\n".join(lines)


def row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
