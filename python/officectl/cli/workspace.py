"""`officectl workspace`: the walls between offices in one database."""

import click

from officectl.cli.session import Session, dry_run_option, look_up, session_options
from officectl.render import show_record, show_rows

QUERY = """
select w.name as workspace, o.name as owner, w.timezone,
  (select count(*) from office.agents a where a.workspace_id = w.id and a.deleted_at is null) as agents,
  (select count(*) from office.tasks t where t.workspace_id = w.id and t.deleted_at is null) as tasks,
  w.executor, w.created_at, w.id as workspace_id
from office.workspaces w
join office.accounts o on o.id = w.owner_account_id
where w.deleted_at is null
"""


@click.group("workspace")
def command() -> None:
    """Workspaces: each has its own agents, tasks, slots and settings."""


@command.command("list")
@session_options
def list_(session: Session) -> None:
    """All workspaces that you can see."""
    with session.office() as desk:
        rows = desk.execute(QUERY + "order by w.name")
    show_rows(
        rows,
        ["workspace", "owner", "agents", "tasks"],
        wide=["timezone", "created_at", "workspace_id"],
        layout=session.layout,
        empty="There is no workspace.",
    )


@command.command()
@click.argument("workspace")
@session_options
def show(session: Session, workspace: str) -> None:
    """One workspace."""
    chosen = "and (lower(w.name) = lower(%(ref)s) or w.id::text = %(ref)s)"
    with session.office() as desk:
        row = look_up(desk, "workspace", QUERY, chosen, workspace)
    show_record(row, layout=session.layout)


@command.command()
@click.argument("name")
@click.option("--owner", metavar="ACCOUNT", help="Whose it is; yours unless said.")
@click.option("--timezone", metavar="ZONE", help="Its time zone, such as Europe/Vienna; UTC unless said.")
@dry_run_option
@session_options
def create(session: Session, name: str, owner: str | None, timezone: str | None, dry_run: bool) -> None:
    """Make a workspace."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.create_workspace(name, owner=owner, timezone=timezone)
    show_record(row, layout=session.layout)
