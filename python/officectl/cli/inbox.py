"""`officectl inbox`: what waits for a person's answer, and what a person should look at."""

import click

from officectl.cli.session import Session, session_options, watchable
from officectl.render import show_rows

QUERY = """
select n.asked_at as created_at, n.kind, n.prompt as title, n.agent, n.task, n.run, n.decision,
  (select string_agg(c ->> 'id', ', ') from jsonb_array_elements(n.choices) c) as choices,
  n.workspace, n.blocks as body
from office.needs_me n
union all
select i.created_at, i.kind, i.title, i.agent, i.task, i.run, null, null, i.workspace, i.body
from office.inbox i
order by created_at desc
"""


@click.command("inbox")
@session_options
@watchable
def command(session: Session) -> None:
    """What waits for an answer (`officectl answer`) and what a person should look at, the newest first."""
    with session.office() as desk:
        rows = desk.execute(QUERY)
    show_rows(
        rows,
        ["created_at", "kind", "title", "agent", "task", "run", "decision", "choices"],
        wide=["workspace", "body"],
        layout=session.layout,
        empty="Nothing needs you.",
    )
