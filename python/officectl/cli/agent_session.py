"""`officectl session`: what an agent and a task have with each other, and what is written into it."""

import click

from officectl.cli.session import Session, dry_run_option, session_options, watchable, workspace_option
from officectl.errors import Refused
from officectl.render import heading, show_record, show_rows

LISTED = """
select session, agent, task, title, state, messages, live_run, last_run, owner, engine_session, workspace,
  created_at, used_at, ended_at, end_reason, id as session_id
from office.sessions
where (%(workspace)s::text is null or lower(workspace) = lower(%(workspace)s))
  and (%(agent)s::text is null or lower(agent) = lower(%(agent)s))
  and (%(ended)s or state <> 'ended')
order by created_at desc, session desc
limit %(limit)s
"""

SHOWN = """
select session, agent, task, title, state, messages, live_run, last_run, owner, engine_session, workspace,
  created_at, used_at, ended_at, end_reason, id as session_id
from office.sessions
where lower(%(ref)s) in (session, id::text)
"""

QUEUE = """
select 'r' || r.number as run, r.queue_position as place, r.reason, m.payload ->> 'text' as text,
  office.run_label(r.status, r.result) as label, r.requested_at
from office.sessions s
join office.agent_sessions z on z.id = s.id
join office.runs r on r.task_id = z.task_id and r.agent_id = z.agent_id and r.status = 'queued'
left join office.wakeups m on m.run_id = r.id and m.source = 'message'
where s.id = %(session_id)s
order by coalesce(r.queue_position, 0), r.requested_at, r.number
"""


@click.group("session")
def command() -> None:
    """Agent sessions: what an agent and a task have with each other; messages into it."""


@command.command("list")
@click.option("--agent", metavar="NAME", help="Only this agent's.")
@click.option("--ended", is_flag=True, help="Those that have ended, too.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@workspace_option
@session_options
@watchable
def list_(session: Session, workspace: str | None, agent: str | None, ended: bool, limit: int) -> None:
    """Agent sessions, the newest first."""
    with session.office() as desk:
        rows = desk.execute(LISTED, {"workspace": workspace, "agent": agent, "ended": ended, "limit": limit})
    show_rows(
        rows,
        ["session", "agent", "task", "title", "state", "messages", "live_run", "last_run"],
        wide=["owner", "engine_session", "used_at", "ended_at", "end_reason", "workspace"],
        layout=session.layout,
        empty="No agent has run for a task.",
    )


@command.command()
@click.argument("ref", metavar="SESSION")
@session_options
def show(session: Session, ref: str) -> None:
    """One session (s12), and what waits in it."""
    with session.office() as desk:
        rows = desk.execute(SHOWN, {"ref": ref})
        if not rows:
            raise Refused(
                f'No agent session "{ref}".',
                "officectl session list shows them.",
                code="not_found",
                status=404,
            )
        row = rows[0]
        row["queue"] = desk.execute(QUEUE, row)
    if session.layout.json:
        show_record(row, layout=session.layout)
        return
    show_record(row, layout=session.layout, fields=[name for name in row if name != "queue"])
    if row["queue"]:
        heading("Queue")
        show_rows(row["queue"], ["run", "place", "reason", "text"], layout=session.layout, empty="")


@command.command()
@click.argument("ref", metavar="SESSION")
@click.argument("text")
@dry_run_option
@session_options
def message(session: Session, ref: str, text: str, dry_run: bool) -> None:
    """Write into a session: a run of its own, behind what waits there."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.send_message(ref, text)
    show_record(dict(row), layout=session.layout)


@command.command()
@click.argument("ref", metavar="SESSION")
@click.argument("text")
@dry_run_option
@session_options
def steer(session: Session, ref: str, text: str, dry_run: bool) -> None:
    """Say what a session is to do next: before what waits there; what runs goes on."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.steer(ref, text)
    show_record(dict(row), layout=session.layout)


@command.command()
@click.argument("ref", metavar="SESSION")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@dry_run_option
@session_options
def reorder(session: Session, ref: str, runs: tuple[str, ...], dry_run: bool) -> None:
    """Put a session's waiting messages in order: those named first."""
    with session.office(dry_run=dry_run) as desk:
        rows = [dict(row) for row in desk.reorder_queue(ref, runs)]
    show_rows(
        rows, ["session", "run", "queue_position"], layout=session.layout, empty="No message waits there."
    )
