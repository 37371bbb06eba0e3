"""`officectl inbox`: what a person should look at."""

import click

from officectl.cli.session import Session, session_options, watchable
from officectl.render import show_rows


@click.command("inbox")
@session_options
@watchable
def command(session: Session) -> None:
    """What a person should look at, the newest first."""
    with session.office() as desk:
        rows = desk.execute("select * from office.inbox order by created_at desc")
    show_rows(
        rows,
        ["created_at", "kind", "title", "agent", "task", "run"],
        wide=["workspace", "body"],
        layout=session.layout,
        empty="Nothing needs you.",
    )
