"""`officectl wake AGENT`: asks for a run."""

from typing import Any

import click

from officectl.cli.session import (
    Session,
    dry_run_option,
    json_object,
    session_options,
    workspace_option,
)
from officectl.render import show_record


@click.command("wake")
@click.argument("agent")
@click.option("--source", metavar="SOURCE", help="Why: user unless said, comment, task_assigned, ….")
@click.option("--payload", callback=json_object, metavar="JSON", help="What the source needs to know.")
@click.option("--key", "idempotency_key", metavar="KEY", help="A second wake with this key does nothing.")
@workspace_option
@dry_run_option
@session_options
def command(session: Session, agent: str, dry_run: bool, **arguments: Any) -> None:
    """Wake an agent. `officectl wait` and `officectl why` take the wakeup's id."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.wake(agent, **arguments)
    show_record(row, layout=session.layout)
