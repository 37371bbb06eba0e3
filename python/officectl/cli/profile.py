"""`officectl profile`: executors that several agents share."""

from typing import Any

import click

from officectl.cli.executor import faults
from officectl.cli.session import (
    Function,
    Session,
    dry_run_option,
    json_object,
    look_up,
    session_options,
    workspace_option,
)
from officectl.render import show_record, show_rows

QUERY = """
select p.name as profile, p.model, p.thinking_level, p.context_window, p.tiers, p.enabled,
  (
    select string_agg(k.name, ', ' order by c.position)
    from office.profile_choices c
    join office.profiles k on k.id = c.choice_id
    where c.profile_id = p.id
  ) as chooses,
  (select count(*) from office.agents a where a.profile_id = p.id and a.deleted_at is null) as agents,
  w.name as workspace, p.executor, p.created_at, p.id as profile_id
from office.profiles p
join office.workspaces w on w.id = p.workspace_id
where p.deleted_at is null
"""

LEVELS = click.Choice(["low", "medium", "high", "max"])


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
        ["profile", "model", "chooses", "enabled", "agents", "workspace"],
        wide=["thinking_level", "context_window", "tiers", "executor", "created_at", "profile_id"],
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


def _model_options(function: Function) -> Function:
    """What a profile says of its model."""
    for option in reversed(
        [
            click.option("--model", metavar="MODEL", help="The model that it asks for."),
            click.option("--thinking-level", type=LEVELS, help="How hard that thinks."),
            click.option(
                "--context-window", type=click.IntRange(1), metavar="TOKENS", help="What it is given at once."
            ),
            click.option(
                "--tier", "tiers", type=LEVELS, multiple=True, help="A complexity that it is for; several."
            ),
            click.option(
                "--choose", "choices", metavar="PROFILE", multiple=True, help="One of its list; several."
            ),
        ]
    ):
        function = option(function)
    return function


@command.command()
@click.argument("name")
@click.option("--executor", callback=json_object, metavar="JSON", help="What it launches, as JSON.")
@_model_options
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[-- PROGRAM [ARGUMENT…]]")
@workspace_option
@dry_run_option
@session_options
def create(
    session: Session,
    name: str,
    executor: dict[str, Any] | None,
    program: tuple[str, ...],
    workspace: str | None,
    dry_run: bool,
    **options: Any,
) -> None:
    """Make a profile; agents are bound to it with: officectl agent edit NAME --profile PROFILE

    For example: officectl profile create careful -- /usr/local/bin/triage --think

    One that chooses launches the first of its list that is not on hold and fits the task's complexity:
    officectl profile create any --choose careful --choose fast
    """
    if bool(executor) + bool(program) + bool(options["choices"]) != 1:
        raise click.UsageError(
            "Say what it launches: PROGRAM after --, or --executor; or --choose among others."
        )
    launched = executor or ({"command": list(program)} if program else None)
    for fault in faults(launched) if launched else ():
        click.echo(f"Note: on this host {fault}.", err=True)
    with session.office(dry_run=dry_run) as desk:
        row = desk.create_profile(name, launched, workspace=workspace, **_given(options))
    show_record(row, layout=session.layout)


@command.command()
@click.argument("profile")
@click.option("--name", metavar="NAME", help="Another name.")
@click.option("--executor", callback=json_object, metavar="JSON", help="What it launches, as JSON.")
@_model_options
@click.option("--enable/--disable", "enabled", default=None, help="Disabled, nothing is launched by it.")
@workspace_option
@dry_run_option
@session_options
def edit(session: Session, profile: str, workspace: str | None, dry_run: bool, **options: Any) -> None:
    """Change a profile. What is queued or runs keeps what it was made with."""
    changes = _given(options)
    if not changes:
        raise click.UsageError("Say what to change.")
    with session.office(dry_run=dry_run) as desk:
        row = desk.update_profile(profile, changes, workspace)
    show_record(row, layout=session.layout)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """Without what was not said; lists as lists."""
    lists = {
        name: list(value) or None if isinstance(value, tuple) else value for name, value in options.items()
    }
    return {name: value for name, value in lists.items() if value is not None}
