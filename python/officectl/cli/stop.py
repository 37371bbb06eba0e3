"""`officectl stop REF`: ends what runs, and takes what waits out of the queue."""

import click

from officectl.cli.session import Session, dry_run_option, session_options
from officectl.render import show_rows


@click.command("stop")
@click.argument("ref")
@click.option("--reason", metavar="TEXT", help="Why; it is kept with the runs.")
@dry_run_option
@session_options
def command(session: Session, ref: str, reason: str | None, dry_run: bool) -> None:
    """Stop a run, or the runs of a task, an agent, a workspace, or everything.

    REF is r12, t7, an agent's name, agent:NAME, workspace:NAME or everything.
    """
    with session.office(dry_run=dry_run) as desk:
        rows = desk.stop(ref, reason)
    show_rows(rows, ["run", "status", "result"], layout=session.layout, empty="Nothing of it runs or waits.")
