"""`officectl account`: the people, and the services that act in their own name."""

import click

from officectl.cli.session import Session, dry_run_option, look_up, session_options
from officectl.render import show_record, show_rows

QUERY = """
select c.name as account, c.email, c.operator, c.db_role,
  coalesce((
    select string_agg(w.name || ' (' || m.role || ')', ', ' order by w.name)
    from office.members m
    join office.workspaces w on w.id = m.workspace_id
    where m.account_id = c.id and w.deleted_at is null
  ), '') as workspaces,
  c.created_at, c.id as account_id
from office.accounts c
where c.deleted_at is null
"""


@click.group("account")
def command() -> None:
    """Accounts: people, and services that act in their own name."""


@command.command("list")
@session_options
def list_(session: Session) -> None:
    """All accounts that you can see."""
    with session.office() as desk:
        rows = desk.execute(QUERY + "order by c.name")
    show_rows(
        rows,
        ["account", "operator", "db_role", "workspaces"],
        wide=["email", "created_at", "account_id"],
        layout=session.layout,
        empty="There is no account.",
    )


@command.command()
@click.argument("account")
@session_options
def show(session: Session, account: str) -> None:
    """One account."""
    chosen = "and (lower(c.name) = lower(%(ref)s) or c.id::text = %(ref)s)"
    with session.office() as desk:
        row = look_up(desk, "account", QUERY, chosen, account)
    show_record(row, layout=session.layout)


@command.command()
@click.argument("name")
@click.option("--email", metavar="ADDRESS")
@click.option("--db-role", metavar="LOGIN", help="The database login that is this account.")
@click.option("--operator", is_flag=True, default=None, help="May steer everything.")
@click.option("--workspace", "-w", "workspaces", multiple=True, metavar="NAME", help="Member of; repeatable.")
@dry_run_option
@session_options
def create(
    session: Session,
    name: str,
    email: str | None,
    db_role: str | None,
    operator: bool | None,
    workspaces: tuple[str, ...],
    dry_run: bool,
) -> None:
    """Make an account, and a member of workspaces."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.create_account(name, email=email, db_role=db_role, operator=operator)
        for workspace in workspaces:
            desk.add_member(workspace, row["account"])
    show_record(row, layout=session.layout)
