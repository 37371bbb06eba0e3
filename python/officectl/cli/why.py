"""`officectl why REF`: the story of a thing, and what would let it go on."""

import shutil
import sys
import textwrap
from collections.abc import Sequence

import click

from officectl.cli.session import Session, session_options
from officectl.office import StoryRow
from officectl.render import show_json, text

LEAST_WIDTH = 30
"""Columns that what happened gets on a terminal, however narrow that is."""


@click.command("why")
@click.argument("ref")
@session_options
def command(session: Session, ref: str) -> None:
    """What happened to a run, task, agent, wakeup or worker (worker:HOST), and how long each lasted.

    For what waits, the command that lifts it.
    """
    with session.office() as desk:
        story = desk.why(ref)
    if session.layout.json:
        show_json(story, session.layout)
        return
    tell(story)


def tell(story: Sequence[StoryRow]) -> None:
    """An event a line: when, what, how long it lasted, the details; below it what would lift it.

    On a terminal long details are wrapped beneath themselves; in a pipe an event stays on its line.
    """
    lasted = ["" if row["lasted"] is None else text(row["lasted"]) for row in story]
    event_width = max((len(row["event"]) for row in story), default=0)
    lasted_width = max((len(length) for length in lasted), default=0)
    for row, length in zip(story, lasted, strict=True):
        head = f"{text(row['at']):<19}  {text(row['event']):<{event_width}}  {length:>{lasted_width}}  "
        _hang(head, text(row["detail"]) if row["detail"] else "")
        if row["lift"]:
            _hang(" " * len(head), f"→ {text(row['lift'])}", whole=True)


def _hang(head: str, said: str, *, whole: bool = False) -> None:
    """`said` beside `head`; what is to be copied stays `whole`."""
    lines = [" ".join(said.split())]
    if sys.stdout.isatty() and not whole:
        room = max(shutil.get_terminal_size().columns - len(head), LEAST_WIDTH)
        lines = textwrap.wrap(lines[0], room) or [""]
    click.echo(f"{head}{lines[0]}".rstrip())
    for line in lines[1:]:
        click.echo(f"{'':<{len(head)}}{line}")
