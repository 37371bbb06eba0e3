"""`officectl profile`: executors that several agents share."""

from typing import Any

import click

from officectl.cli.executor import faults
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
select p.name as profile, p.model, p.enabled,
  (select count(*) from office.agents a where a.profile_id = p.id and a.deleted_at is null) as agents,
  w.name as workspace, p.executor, p.created_at, p.id as profile_id
from office.profiles p
join office.workspaces w on w.id = p.workspace_id
where p.deleted_at is null
"""


@click.group("profile")
def command() -> None:
    """Profiles: executors that several agents share."""


@command.command("list")
@workspace_option
@session_options
def list_(session: Session, workspace: str | None) -> None:
    """All profiles."""
    chosen = (
        "and (%(workspace)s::text is null or lower(w.name) = lower(%(workspace)s)) order by w.name, p.name"
    )
    with session.office() as desk:
        rows = desk.execute(QUERY + chosen, {"workspace": workspace})
    show_rows(
        rows,
        ["profile", "model", "enabled", "agents", "workspace"],
        wide=["executor", "created_at", "profile_id"],
        layout=session.layout,
        empty="There is no profile. Make one: officectl profile create NAME -- PROGRAM [ARGUMENT…]",
    )


@command.command()
@click.argument("profile")
@session_options
def show(session: Session, profile: str) -> None:
    """One profile."""
    chosen = "and (lower(%(ref)s) in (lower(p.name), lower(w.name || '/' || p.name), p.id::text))"
    with session.office() as desk:
        row = look_up(desk, "profile", QUERY, chosen, profile)
    show_record(row, layout=session.layout)


@command.command()
@click.argument("name")
@click.option("--executor", callback=json_object, metavar="JSON", help="What it launches, as JSON.")
@click.option("--model", metavar="MODEL", help="The model that it asks for.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[-- PROGRAM [ARGUMENT…]]")
@workspace_option
@dry_run_option
@session_options
def create(
    session: Session,
    name: str,
    executor: dict[str, Any] | None,
    model: str | None,
    program: tuple[str, ...],
    workspace: str | None,
    dry_run: bool,
) -> None:
    """Make a profile; agents are bound to it with: officectl agent edit NAME --profile PROFILE

    For example: officectl profile create careful -- /usr/local/bin/triage --think
    """
    if bool(executor) == bool(program):
        raise click.UsageError("Say what it launches: PROGRAM after --, or --executor.")
    launched = executor or {"command": list(program)}
    for fault in faults(launched):
        click.echo(f"Note: on this host {fault}.", err=True)
    with session.office(dry_run=dry_run) as desk:
        row = desk.create_profile(name, launched, model=model, workspace=workspace)
    show_record(row, layout=session.layout)
