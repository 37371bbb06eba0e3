"""`officectl task`: the work that agents are woken for."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TextIO

import click

from officectl.cli.session import (
    Session,
    dry_run_option,
    json_object,
    known_name,
    session_options,
    workspace_option,
)
from officectl.office import Office, TaskRow
from officectl.render import heading, show_record, show_rows, text

QUERY = """
select 't' || t.number as task, t.title, t.state, a.name as assignee, t.priority, p.name as project,
  w.name as workspace, 't' || parent.number as parent,
  (
    select string_agg('t' || b.number, ', ' order by b.number)
    from office.task_blockers tb
    join office.tasks b on b.id = tb.blocker_task_id
    where tb.task_id = t.id
  ) as blocked_by,
  (
    select c.status || ', for ' || c.target
    from office.task_checks c
    where c.task_id = t.id
    order by c.number desc
    limit 1
  ) as "check",
  t.description, t.requires_approval, t.executor, t.created_at, t.archived_at, t.id as task_id
from office.tasks t
join office.workspaces w on w.id = t.workspace_id
left join office.agents a on a.id = t.assignee_agent_id
left join office.projects p on p.id = t.project_id
left join office.tasks parent on parent.id = t.parent_id
where t.deleted_at is null
"""

LISTED = """
and (%(workspace)s::text is null or lower(w.name) = lower(%(workspace)s))
and (%(state)s::text is null or t.state = %(state)s)
and (%(assignee)s::text is null or lower(a.name) = lower(%(assignee)s))
and (%(project)s::text is null or lower(p.name) = lower(%(project)s))
and (%(archived)s or t.archived_at is null)
order by t.number desc
limit %(limit)s
"""

STATES = "select state from office.task_states order by position"

COMMENTS = """
select c.created_at as at, coalesce(a.name, u.name) as author, c.body
from office.comments c
left join office.agents a on a.id = c.author_agent_id
left join office.accounts u on u.id = c.author_account_id
where c.task_id = %(task_id)s
order by c.created_at, c.id
"""

RUNS = """
select 'r' || r.number as run, a.name as agent, r.reason, office.run_label(r.status, r.result) as label,
  r.status, r.result, r.requested_at, r.ended_at
from office.runs r
join office.agents a on a.id = r.agent_id
where r.task_id = %(task_id)s
order by r.number
"""


@click.group("task")
def command() -> None:
    """Tasks: the work that agents are woken for."""


@command.command("list")
@click.option("--state", metavar="STATE", help="Only those in this state, such as todo.")
@click.option("--assignee", metavar="AGENT", help="Only this agent's.")
@click.option("--project", metavar="NAME", help="Only this project's.")
@click.option("--archived", is_flag=True, help="Archived ones too.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@workspace_option
@session_options
def list_(session: Session, **chosen: Any) -> None:
    """Tasks, the newest first."""
    with session.office() as desk:
        known_name(desk, "state", chosen["state"], STATES)
        rows = desk.execute(QUERY + LISTED, chosen)
    show_rows(
        rows,
        ["task", "title", "state", "assignee", "project", "blocked_by"],
        wide=["priority", "parent", "workspace", "created_at", "task_id"],
        layout=session.layout,
        empty="No such task.",
    )


@command.command()
@click.argument("task")
@session_options
def show(session: Session, task: str) -> None:
    """One task, its comments and its runs."""
    with session.office() as desk:
        # Refuses an unknown one, and says how tasks are named.
        card = desk.read_task(task)
        row = desk.execute(QUERY + "and t.id = %(task_id)s", card)[0]
        row["comments"] = desk.execute(COMMENTS, row)
        row["runs"] = desk.execute(RUNS, row)
    if session.layout.json:
        show_record(row, layout=session.layout)
        return
    show_record(row, layout=session.layout, fields=[name for name in row if name not in ("comments", "runs")])
    if row["comments"]:
        heading("Comments")
        for comment in row["comments"]:
            click.echo(f"{text(comment['at'])}  {comment['author']}: {text(comment['body'])}")
    if row["runs"]:
        heading("Runs")
        show_rows(
            row["runs"], ["run", "agent", "reason", "label", "ended_at"], layout=session.layout, empty=""
        )


@command.command()
@click.argument("title")
@click.option("--description", "-d", metavar="TEXT", help="What is to be done.")
@click.option("--assignee", "-a", metavar="AGENT", help="Who is to do it; it is woken.")
@click.option("--project", "-p", metavar="NAME")
@click.option("--parent", metavar="TASK", help="The task that it is a part of.")
@click.option("--blocked-by", multiple=True, metavar="TASK", help="It waits for this one; repeatable.")
@click.option("--priority", metavar="PRIORITY", help="low, medium, high or urgent.")
@click.option("--state", metavar="STATE", help="proposed or todo.")
@click.option("--requires-approval", is_flag=True, default=None, help="A person must approve it.")
@click.option("--complexity", metavar="COMPLEXITY", help="low, medium, high or max: picks the model.")
@click.option("--executor", callback=json_object, metavar="JSON", help="What to launch for it.")
@workspace_option
@dry_run_option
@session_options
def create(session: Session, title: str, dry_run: bool, **arguments: Any) -> None:
    """Make a task."""
    _act(session, lambda desk: desk.create_task(title, **arguments), dry_run=dry_run)


@command.command()
@click.argument("task")
@click.argument("agent", required=False)
@click.option("--nobody", is_flag=True, help="Take it away from whoever has it.")
@dry_run_option
@session_options
def assign(session: Session, task: str, agent: str | None, nobody: bool, dry_run: bool) -> None:
    """Give a task to an agent, which is woken."""
    if nobody == bool(agent):
        raise click.UsageError("Name the agent, or say --nobody.")
    _act(session, lambda desk: desk.assign_task(task, agent), dry_run=dry_run)


@command.command()
@click.argument("task")
@click.argument("target", metavar="STATE|STAGE")
@dry_run_option
@session_options
def move(session: Session, task: str, target: str, dry_run: bool) -> None:
    """Move a task to a state, or to a stage of its workflow."""
    _act(session, lambda desk: desk.move_task(task, target), dry_run=dry_run)


@command.command()
@click.argument("task")
@click.argument("summary", required=False)
@dry_run_option
@session_options
def complete(session: Session, task: str, summary: str | None, dry_run: bool) -> None:
    """Say that a task is done; it may still want a review."""
    _act(session, lambda desk: desk.complete_task(task, summary), dry_run=dry_run)


@command.command()
@click.argument("task")
@click.argument("verdict", type=click.Choice(["approved", "rejected"]))
@click.option("--note", metavar="TEXT", help="What is said with it; it becomes a comment.")
@dry_run_option
@session_options
def review(session: Session, task: str, verdict: str, note: str | None, dry_run: bool) -> None:
    """Judge a task in review; what it comes to, the dispatch decides."""
    _act(session, lambda desk: desk.review_task(task, verdict, note), dry_run=dry_run)


@command.command()
@click.argument("task")
@click.option("--title", metavar="TEXT")
@click.option("--description", "-d", metavar="TEXT", help="What is to be done.")
@click.option("--priority", metavar="PRIORITY", help="low, medium, high or urgent.")
@click.option("--complexity", metavar="COMPLEXITY", help="low, medium, high or max.")
@click.option("--project", "-p", metavar="NAME")
@click.option("--parent", metavar="TASK", help="The task that it is a part of.")
@click.option("--requires-approval/--no-approval", default=None, help="Whether a person must approve it.")
@dry_run_option
@session_options
def edit(session: Session, task: str, dry_run: bool, **changes: Any) -> None:
    """Change what a task says."""
    changed = {name: value for name, value in changes.items() if value is not None}
    _act(session, lambda desk: desk.update_task(task, changed), dry_run=dry_run)


@command.command()
@click.argument("task")
@click.argument("blocker", metavar="BLOCKER")
@dry_run_option
@session_options
def block(session: Session, task: str, blocker: str, dry_run: bool) -> None:
    """Let a task wait for another one, BLOCKER."""
    _act(session, lambda desk: desk.add_blocker(task, blocker), dry_run=dry_run)


@command.command()
@click.argument("task")
@click.argument("blocker", metavar="BLOCKER")
@dry_run_option
@session_options
def unblock(session: Session, task: str, blocker: str, dry_run: bool) -> None:
    """Let a task wait no longer for BLOCKER."""
    _act(session, lambda desk: desk.remove_blocker(task, blocker), dry_run=dry_run)


@command.command()
@click.argument("task")
@click.argument("until", required=False, type=click.DateTime(), metavar="TIME")
@click.option("--no-longer", is_flag=True, help="Take a snooze back.")
@dry_run_option
@session_options
def snooze(session: Session, task: str, until: datetime | None, no_longer: bool, dry_run: bool) -> None:
    """Put a task off until a time, as '2026-01-31 09:00:00' here."""
    if no_longer == bool(until):
        raise click.UsageError("Say until when, or --no-longer.")
    _act(session, lambda desk: desk.snooze_task(task, until and until.astimezone()), dry_run=dry_run)


@command.command()
@click.argument("task")
@click.argument("agent")
@click.option("--approver", is_flag=True, help="It decides; else it advises.")
@click.option("--remove", is_flag=True, help="It takes no part any more.")
@dry_run_option
@session_options
def reviewer(session: Session, task: str, agent: str, approver: bool, remove: bool, dry_run: bool) -> None:
    """Let an agent review a task."""
    role = "approver" if approver else None
    _act(
        session,
        lambda desk: (
            desk.remove_participant(task, agent, role) if remove else desk.add_participant(task, agent, role)
        ),
        dry_run=dry_run,
    )


@command.command()
@click.argument("asked", metavar="PERSON")
@click.argument("title")
@click.option("--description", "-d", metavar="TEXT", help="What is to be done.")
@click.option("--project", "-p", metavar="NAME")
@workspace_option
@dry_run_option
@session_options
def request(session: Session, asked: str, title: str, dry_run: bool, **arguments: Any) -> None:
    """Ask another person for something."""
    _act(session, lambda desk: desk.request_task(asked, title, **arguments), dry_run=dry_run)


@command.command()
@click.argument("task")
@click.argument("answer", type=click.Choice(["accepted_private", "accepted_shared", "declined"]))
@click.option("--note", metavar="TEXT", help="What is said with it.")
@dry_run_option
@session_options
def respond(session: Session, task: str, answer: str, note: str | None, dry_run: bool) -> None:
    """Answer what somebody asked you for."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.answer_request(task, answer, note)
    show_record(row, layout=session.layout)


@command.command()
@click.argument("task")
@click.argument("body")
@dry_run_option
@session_options
def comment(session: Session, task: str, body: str, dry_run: bool) -> None:
    """Comment on a task; its agent, and whoever is named by @name, is woken."""
    with session.office(dry_run=dry_run) as desk:
        comment_id = desk.add_comment(task, body)
    show_record({"task": task, "comment_id": comment_id}, layout=session.layout)


@command.command()
@click.argument("task")
@dry_run_option
@session_options
def archive(session: Session, task: str, dry_run: bool) -> None:
    """Put a task away; its runs are stopped."""
    _act(session, lambda desk: desk.archive_task(task), dry_run=dry_run)


@command.command()
@click.argument("task")
@dry_run_option
@session_options
def release(session: Session, task: str, dry_run: bool) -> None:
    """Free a task's lock, whoever holds it; the run that held it works on without."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.release_task(task)
    show_record(row, layout=session.layout)


@command.command()
@click.argument("task")
@click.option("--yes", is_flag=True, help="Do not ask.")
@dry_run_option
@session_options
def delete(session: Session, task: str, yes: bool, dry_run: bool) -> None:
    """Delete a task; its runs are stopped."""
    if not (yes or dry_run):
        click.confirm(f"Delete {task}?", abort=True, err=True)
    _act(session, lambda desk: desk.delete_task(task), dry_run=dry_run)


DOCUMENTS = """
select d.name as document, d.version, coalesce(a.name, u.name) as written_by, d.written_at,
  length(d.body) as characters, d.created_at, d.id as document_id
from office.task_documents d
left join office.agents a on a.id = d.written_by_agent_id
left join office.accounts u on u.id = d.written_by_account_id
where d.task_id = %(task_id)s
order by lower(d.name)
"""


@command.group()
def document() -> None:
    """What people and agents write down for a task and its parts."""


@document.command("list")
@click.argument("task")
@session_options
def list_documents(session: Session, task: str) -> None:
    """A task's documents."""
    with session.office() as desk:
        rows = desk.execute(DOCUMENTS, desk.read_task(task))
    show_rows(
        rows,
        ["document", "version", "written_by", "written_at"],
        wide=["characters", "created_at", "document_id"],
        layout=session.layout,
        empty="It has no document.",
    )


@document.command("show")
@click.argument("task")
@click.argument("name")
@session_options
def show_document(session: Session, task: str, name: str) -> None:
    """What a document says."""
    with session.office() as desk:
        row = desk.read_document(name, task)
    if session.layout.json:
        show_record(row, layout=session.layout)
    else:
        click.echo(row["body"])


@document.command("write")
@click.argument("task")
@click.argument("name")
@click.argument("file", type=click.File(encoding="utf-8"), default="-")
@click.option("--based-on", type=int, metavar="VERSION", help="Refused when it is another by now.")
@dry_run_option
@session_options
def write_document(
    session: Session, task: str, name: str, file: TextIO, based_on: int | None, dry_run: bool
) -> None:
    """Write a document, new or anew, from FILE or stdin."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.write_document(name, file.read(), task, based_on)
    show_record(row, layout=session.layout)


@document.command("remove")
@click.argument("task")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@dry_run_option
@session_options
def remove_document(session: Session, task: str, name: str, yes: bool, dry_run: bool) -> None:
    """Remove a document."""
    if not (yes or dry_run):
        click.confirm(f"Remove {name} of {task}?", abort=True, err=True)
    with session.office(dry_run=dry_run) as desk:
        row = desk.write_document(name, None, task)
    show_record(row, layout=session.layout)


def _act(session: Session, act: Callable[[Office], TaskRow], *, dry_run: bool) -> None:
    with session.office(dry_run=dry_run) as desk:
        row = act(desk)
    show_record(row, layout=session.layout)
