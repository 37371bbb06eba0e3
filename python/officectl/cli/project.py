"""`officectl project`: a folder or repository that tasks belong to."""

import shlex
from typing import Any

import click

from officectl.cli.session import (
    Session,
    dry_run_option,
    json_object,
    look_up,
    session_options,
    workspace_option,
)
from officectl.render import show_record, show_rows

QUERY = """
select p.name as project, p.folder, p.isolation, p.check_command as "check", p.repo, w.name as workspace,
  (
    select count(*) from office.tasks t
    join office.task_states s on s.state = t.state
    where t.project_id = p.id and not s.closed and t.archived_at is null and t.deleted_at is null
  ) as open_tasks,
  p.executor, p.created_at, p.id as project_id
from office.projects p
join office.workspaces w on w.id = p.workspace_id
where p.deleted_at is null
"""

ISOLATION = click.Choice(["shared", "worktree"])
CHECK_HELP = "Run in a task's tree before it is in review or done, as 'make test'."
ISOLATION_HELP = "Whether its agents share the folder, or have a git worktree each."


def words(command: str | None) -> list[str] | None:
    """A command line as a list of words, by the shell's rules; no shell runs it."""
    try:
        return None if command is None else shlex.split(command)
    except ValueError as fault:
        raise click.BadParameter(f"{command!r}: {fault}") from None


@click.group("project")
def command() -> None:
    """Projects: the folders that agents work in."""


@command.command("list")
@workspace_option
@session_options
def list_(session: Session, workspace: str | None) -> None:
    """All projects."""
    chosen = "and (%(workspace)s::text is null or lower(w.name) = lower(%(workspace)s)) order by p.name"
    with session.office() as desk:
        rows = desk.execute(QUERY + chosen, {"workspace": workspace})
    show_rows(
        rows,
        ["project", "folder", "open_tasks", "workspace"],
        wide=["isolation", "check", "repo", "executor", "created_at", "project_id"],
        layout=session.layout,
        empty="There is no project.",
    )


@command.command()
@click.argument("project")
@session_options
def show(session: Session, project: str) -> None:
    """One project."""
    chosen = "and (lower(%(ref)s) in (lower(p.name), lower(w.name || '/' || p.name)) or p.id::text = %(ref)s)"
    with session.office() as desk:
        row = look_up(desk, "project", QUERY, chosen, project)
    show_record(row, layout=session.layout)


@command.command()
@click.argument("name")
@click.option("--folder", metavar="PATH", help="Where its agents work: an absolute path.")
@click.option("--repo", metavar="URL", help="Where its source comes from.")
@click.option("--executor", callback=json_object, metavar="JSON", help="What to launch for its tasks.")
@click.option("--isolation", type=ISOLATION, default="shared", show_default=True, help=ISOLATION_HELP)
@click.option("--check", metavar="COMMAND", help=CHECK_HELP)
@workspace_option
@dry_run_option
@session_options
def create(
    session: Session,
    name: str,
    folder: str | None,
    repo: str | None,
    executor: dict[str, Any] | None,
    isolation: str,
    check: str | None,
    workspace: str | None,
    dry_run: bool,
) -> None:
    """Make a project."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.create_project(
            name,
            folder=folder,
            repo=repo,
            executor=executor,
            workspace=workspace,
            isolation=isolation,
            check_command=words(check),
        )
    show_record(row, layout=session.layout)


@command.command()
@click.argument("project")
@click.option("--name", metavar="NAME", help="Another name.")
@click.option("--folder", metavar="PATH", help="Where its agents work from now on.")
@click.option("--repo", metavar="URL", help="Where its source comes from.")
@click.option("--executor", callback=json_object, metavar="JSON", help="What to launch for its tasks.")
@click.option("--isolation", type=ISOLATION, help=ISOLATION_HELP)
@click.option("--check", metavar="COMMAND", help=CHECK_HELP + ' "" for none any more.')
@workspace_option
@dry_run_option
@session_options
def edit(session: Session, project: str, workspace: str | None, dry_run: bool, **changes: Any) -> None:
    """Change a project. What runs there goes on where it is."""
    given = {field: value for field, value in changes.items() if value is not None}
    if "check" in given:
        given["check"] = words(given["check"]) or None
    if not given:
        raise click.UsageError("Say what to change.")
    with session.office(dry_run=dry_run) as desk:
        row = desk.update_project(project, given, workspace)
    show_record(row, layout=session.layout)
