"""`officectl decision`: what people are asked, and what they answered."""

import click

from officectl.cli.session import Session, session_options, watchable, workspace_option
from officectl.errors import Refused
from officectl.render import show_record, show_rows

QUERY = """
select 'd' || d.number as decision, d.kind, d.subject, d.status, d.reason, d.prompt,
  (select string_agg(c ->> 'id', ', ') from jsonb_array_elements(d.choices) c) as choices,
  d.choice, d.note, a.name as agent, 't' || t.number as task, 'r' || r.number as run, w.name as workspace,
  d.asked_at, d.expires_at, d.decided_at, coalesce(u.name, g.name) as decided_by,
  d.through, d.id as decision_id
from office.decisions d
join office.workspaces w on w.id = d.workspace_id
left join office.agents a on a.id = d.agent_id
left join office.tasks t on t.id = d.task_id
left join office.runs r on r.id = d.run_id
left join office.accounts u on u.id = d.decided_by_account_id
left join office.agents g on g.id = d.decided_by_agent_id
where true
"""

LISTED = """
and (%(workspace)s::text is null or lower(w.name) = lower(%(workspace)s))
order by d.number desc
limit %(limit)s
"""


@click.group("decision")
def command() -> None:
    """Decisions: what people are asked, and what they answered."""


@command.command("list")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@workspace_option
@session_options
@watchable
def list_(session: Session, workspace: str | None, limit: int) -> None:
    """Decisions, the newest first."""
    with session.office() as desk:
        rows = desk.execute(QUERY + LISTED, {"workspace": workspace, "limit": limit})
    show_rows(
        rows,
        ["decision", "kind", "status", "choice", "agent", "task", "run", "prompt"],
        wide=["choices", "note", "reason", "asked_at", "decided_at", "decided_by", "through", "workspace"],
        layout=session.layout,
        empty="Nobody has asked anything.",
    )


@command.command()
@click.argument("decision")
@session_options
def show(session: Session, decision: str) -> None:
    """One decision."""
    chosen = "and lower(%(ref)s) in ('d' || d.number, d.id::text)"
    with session.office() as desk:
        rows = desk.execute(QUERY + chosen, {"ref": decision})
    if not rows:
        raise Refused(
            f'No decision "{decision}".', "officectl decision list shows them.", code="not_found", status=404
        )
    show_record(rows[0], layout=session.layout)
