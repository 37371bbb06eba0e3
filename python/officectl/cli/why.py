"""`officectl why REF`: the story of a thing, and what would let it go on."""

import click

from officectl.cli.session import Session, session_options
from officectl.office import StoryRow
from officectl.render import show_json, text


@click.command("why")
@click.argument("ref")
@session_options
def command(session: Session, ref: str) -> None:
    """What happened to a run, task, agent or wakeup, in order; for what waits, the command that lifts it."""
    with session.office() as desk:
        story = desk.why(ref)
    if session.layout.json:
        show_json(story, session.layout)
        return
    for row in story:
        tell(row)


def tell(row: StoryRow) -> None:
    """One event as a line, with what would lift it on a line below."""
    lasted = f"  ({text(row['lasted'])})" if row["lasted"] is not None else ""
    detail = f"  {text(row['detail'])}" if row["detail"] else ""
    click.echo(f"{text(row['at']):<19}  {text(row['event'])}{detail}{lasted}")
    if row["lift"]:
        click.echo(f"{'':<19}  → {text(row['lift'])}")
