"""`officectl setting`: what can be set, and what holds."""

import click

from officectl.cli.session import Session, dry_run_option, not_empty, session_options
from officectl.render import show_record, show_rows

QUERY = """
select d.key, office.get_setting(d.key, %(workspace)s) as value, d.default_value as default,
  case
    when d.value_type = 'integer' then d.minimum || ' to ' || d.maximum
    when d.value_type = 'boolean' then 'on, off'
    else coalesce(array_to_string(d.choices, ', '), 'any')
  end as allowed,
  d.scopes, d.meaning
from office.setting_definitions d
order by d.key
"""

workspace_option = click.option(
    "-w",
    "--workspace",
    metavar="NAME",
    callback=not_empty,
    help="The workspace, `office` for all, or `account:NAME`; your only one, or yourself, unless said.",
)


@click.group("setting")
def command() -> None:
    """Settings: of the office, of each workspace, of accounts."""


@command.command("list")
@workspace_option
@session_options
def list_(session: Session, workspace: str | None) -> None:
    """Every setting, with the value that holds in a workspace."""
    with session.office() as desk:
        rows = desk.execute(QUERY, {"workspace": workspace})
    show_rows(
        rows,
        ["key", "value", "allowed", "meaning"],
        wide=["default", "scopes"],
        layout=session.layout,
        empty="There is nothing to set.",
    )


@command.command("get")
@click.argument("key")
@workspace_option
@session_options
def get(session: Session, key: str, workspace: str | None) -> None:
    """The value that holds."""
    with session.office() as desk:
        value = desk.get_setting(key, workspace)
    if session.layout.json:
        show_record({"key": key, "value": value}, layout=session.layout)
    else:
        click.echo(value)


@command.command("set")
@click.argument("key")
@click.argument("value")
@workspace_option
@dry_run_option
@session_options
def set_(session: Session, key: str, value: str, workspace: str | None, dry_run: bool) -> None:
    """Set it for a workspace; `--workspace office` for all of them, `account:NAME` for an account."""
    with session.office(dry_run=dry_run) as desk:
        desk.set_setting(key, value, workspace)
        holds = desk.get_setting(key, workspace)
    show_record({"key": key, "value": holds}, layout=session.layout)
