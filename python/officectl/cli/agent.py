"""`officectl agent`: people's verbs about agents, and, inside a run, the agent's own."""

from typing import Any

import click

from officectl.agent.commands import COMMANDS
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
from officectl.render import heading, show_record, show_rows

QUERY = """
select a.name as agent, a.role, a.status, a.status_reason, w.name as workspace,
  (
    select count(*) from office.runs r
    join office.run_states s on s.status = r.status
    where r.agent_id = a.id and s.live
  ) as active,
  (select count(*) from office.runs r where r.agent_id = a.id and r.status = 'queued') as waiting,
  a.max_concurrent_sessions, a.cooldown_sec, a.skip_idle_wakeups, leader.name as reports_to,
  p.name as profile, a.executor, a.instructions, a.created_at, a.id as agent_id
from office.agents a
join office.workspaces w on w.id = a.workspace_id
left join office.agents leader on leader.id = a.reports_to
left join office.profiles p on p.id = a.profile_id
where a.deleted_at is null
"""

RUNS = """
select 'r' || r.number as run, 't' || t.number as task, r.reason,
  office.run_label(r.status, r.result) as label, r.status, r.result, r.requested_at, r.ended_at
from office.runs r
left join office.tasks t on t.id = r.task_id
where r.agent_id = %(agent_id)s
order by r.number desc
limit 10
"""


@click.group("agent")
def command() -> None:
    """Agents: list, show, create and edit them; the other verbs are their own, inside a run."""


@command.command("list")
@workspace_option
@session_options
def list_(session: Session, workspace: str | None) -> None:
    """All agents."""
    chosen = (
        "and (%(workspace)s::text is null or lower(w.name) = lower(%(workspace)s)) order by w.name, a.name"
    )
    with session.office() as desk:
        rows = desk.execute(QUERY + chosen, {"workspace": workspace})
    show_rows(
        rows,
        ["agent", "role", "status", "active", "waiting", "workspace"],
        wide=["reports_to", "max_concurrent_sessions", "cooldown_sec", "executor", "created_at", "agent_id"],
        layout=session.layout,
        empty="There is no agent. Make one: officectl agent create NAME -- PROGRAM [ARGUMENT…]",
    )


@command.command()
@click.argument("agent")
@session_options
def show(session: Session, agent: str) -> None:
    """One agent and its last runs."""
    chosen = "and (lower(%(ref)s) in (lower(a.name), lower(w.name || '/' || a.name), a.id::text))"
    with session.office() as desk:
        row = look_up(desk, "agent", QUERY, chosen, agent)
        row["runs"] = desk.execute(RUNS, row)
    if session.layout.json:
        show_record(row, layout=session.layout)
        return
    show_record(row, layout=session.layout, fields=[name for name in row if name != "runs"])
    if row["runs"]:
        heading("Last runs")
        show_rows(
            row["runs"], ["run", "task", "reason", "label", "ended_at"], layout=session.layout, empty=""
        )


def about_agent(function: Function) -> Function:
    """The options that create and edit have in common."""
    options = (
        click.option("--executor", callback=json_object, metavar="JSON", help="What it launches, as JSON."),
        click.option("--folder", metavar="PATH", help="Where it starts, whatever the task's project says."),
        click.option("--role", metavar="ROLE", help="worker, specialist, assistant, coordinator or ceo."),
        click.option("--instructions", metavar="TEXT", help="What it is always told."),
        click.option("--reports-to", metavar="AGENT", help="Who hears of its failures."),
        click.option("--max-concurrent-sessions", type=int, metavar="N", help="Runs at once."),
        click.option("--cooldown-sec", type=int, metavar="N", help="Rest between two runs, in seconds."),
        click.option(
            "--skip-idle-wakeups/--no-skip-idle-wakeups", default=None, help="Not for nothing to do."
        ),
        click.option("--profile", metavar="NAME", help="The execution profile that it uses."),
        click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[-- PROGRAM [ARGUMENT…]]"),
    )
    for option in reversed(options):
        function = option(function)
    return function


@command.command()
@click.argument("name")
@about_agent
@workspace_option
@dry_run_option
@session_options
def create(session: Session, name: str, dry_run: bool, **arguments: Any) -> None:
    """Make an agent.

    For example: officectl agent create triage --folder /srv/shop -- /usr/local/bin/triage --all
    """
    executor = _executor(arguments)
    with session.office(dry_run=dry_run) as desk:
        row = desk.create_agent(name, executor=executor, **arguments)
    show_record(row, layout=session.layout)


@command.command()
@click.argument("agent")
@about_agent
@click.option("--name", metavar="NAME", help="Its new name.")
@dry_run_option
@session_options
def edit(session: Session, agent: str, dry_run: bool, **arguments: Any) -> None:
    """Change an agent; what is not named stays."""
    executor = _executor(arguments)
    changes = {name: value for name, value in arguments.items() if value is not None}
    if executor:
        changes["executor"] = executor
    if not changes:
        raise click.UsageError("Name at least one thing to change.")
    with session.office(dry_run=dry_run) as desk:
        row = desk.update_agent(agent, changes)
    show_record(row, layout=session.layout)


def _executor(arguments: dict[str, Any]) -> dict[str, Any] | None:
    """The executor from --executor or from PROGRAM and --folder, which are taken out of `arguments`.

    What would keep it from starting here is said, no more: it may be meant for another host.
    """
    program, folder, executor = arguments.pop("program"), arguments.pop("folder"), arguments.pop("executor")
    if executor and (program or folder):
        raise click.UsageError("--executor says it all; leave out PROGRAM and --folder.")
    if folder and not program:
        raise click.UsageError("--folder needs a PROGRAM after --.")
    if program:
        executor = {"command": list(program)} | ({"folder": folder} if folder else {})
    for fault in faults(executor) if executor else ():
        click.echo(f"Note: on this host {fault}.", err=True)
    chosen: dict[str, Any] | None = executor
    return chosen


for _verb in COMMANDS:
    command.add_command(_verb)
