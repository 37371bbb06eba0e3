"""`officectl resume REF`: ends a pause, or an agent's stop."""

import click

from officectl.cli.session import Session, dry_run_option, session_options
from officectl.render import show_record


@click.command("resume")
@click.argument("ref")
@dry_run_option
@session_options
def command(session: Session, ref: str, dry_run: bool) -> None:
    """Let a paused or stopped agent, a paused workspace, or everything work again.

    REF is an agent's name, agent:NAME, workspace:NAME or everything.
    """
    with session.office(dry_run=dry_run) as desk:
        row = desk.resume(ref)
    show_record(row, layout=session.layout)
