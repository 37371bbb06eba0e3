"""`officectl answer DECISION CHOICE`: decides; the first answer wins."""

import click

from officectl.cli.session import Session, dry_run_option, session_options
from officectl.render import show_record


@click.command("answer")
@click.argument("decision")
@click.argument("choice")
@click.option("--note", metavar="TEXT", help="What is said with it.")
@dry_run_option
@session_options
def command(session: Session, decision: str, choice: str, note: str | None, dry_run: bool) -> None:
    """Answer what an agent asks, by one of its choices; `officectl inbox` shows what waits.

    DECISION is d12, or its id. The run that waits for it goes on.
    """
    with session.office(dry_run=dry_run) as desk:
        row = desk.answer(decision, choice, note, through="cli")
    show_record(dict(row), layout=session.layout)
