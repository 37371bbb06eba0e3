"""`officectl maintenance`: the office's own scheduled work."""

import click

from officectl.cli.session import Session, dry_run_option, session_options
from officectl.render import show_rows


@click.group("maintenance")
def command() -> None:
    """What the office does by itself: leases, retries, budgets' periods, purges."""


@command.command("list")
@session_options
def list_(session: Session) -> None:
    """Each piece, its last and next slot, and what it did."""
    with session.office() as desk:
        rows = desk.execute("select * from office.maintenance_status")
    show_rows(
        rows,
        ["piece", "due", "last_slot", "ended_at", "done", "next_slot"],
        wide=["meaning"],
        layout=session.layout,
        empty="There is none.",
    )


@command.command("run")
@dry_run_option
@session_options
def run(session: Session, dry_run: bool) -> None:
    """Do what is due now, as every scheduler does by itself."""
    with session.office(dry_run=dry_run) as desk:
        rows = desk.maintain()
    show_rows(
        [dict(row) for row in rows],
        ["piece", "done"],
        layout=session.layout,
        empty="There was nothing to do.",
    )
