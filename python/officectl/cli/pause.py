"""`officectl pause REF`: holds new runs back, and asks live ones to come back to the queue."""

import click

from officectl.cli.session import Session, dry_run_option, session_options
from officectl.render import show_record


@click.command("pause")
@click.argument("ref")
@click.option("--reason", metavar="TEXT", help="Why; it is shown where runs wait for it.")
@dry_run_option
@session_options
def command(session: Session, ref: str, reason: str | None, dry_run: bool) -> None:
    """Hold an agent, a workspace, or everything, until `officectl resume`.

    REF is an agent's name, agent:NAME, workspace:NAME or everything.
    """
    with session.office(dry_run=dry_run) as desk:
        row = desk.pause(ref, reason)
    show_record(row, layout=session.layout)
