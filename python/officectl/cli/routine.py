"""`officectl routine`: what agents do again and again, what fires it, and what became of it (R1 to R20)."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click
from croniter import croniter

from officectl.cli.session import (
    Session,
    dry_run_option,
    json_object,
    known_name,
    look_up,
    session_options,
    workspace_option,
)
from officectl.office import FireRow, Office, RoutineRow, TriggerRow
from officectl.render import heading, show_record, show_rows

SCHEDULE = """
select routine, status, agent, kind, expression, timezone, next_run_at, last_fired_at, last_status, enabled,
  workspace, trigger_id, last_run_at
from office.routine_schedule
where (%(workspace)s::text is null or lower(workspace) = lower(%(workspace)s))
and (%(status)s::text is null or status = %(status)s)
"""

ROUTINE = """
select r.name as routine, r.status, r.status_reason, a.name as agent, r.description, r.concurrency_policy,
  r.catch_up_policy, r.catch_up_max, r.task_template, r.variables, r.last_run_at, w.name as workspace,
  r.created_at, r.id as routine_id
from office.routines as r
join office.workspaces as w on w.id = r.workspace_id
join office.agents as a on a.id = r.assignee_agent_id
where r.deleted_at is null
"""

TRIGGERS = """
select kind, expression, timezone, enabled, next_run_at, last_fired_at, signing,
  '/api/routine-triggers/' || public_id || '/fire' as path, id as trigger_id
from office.routine_triggers
where routine_id = %(routine_id)s
order by created_at, id
"""

FIRES = """
select f.fired_at, f.source, f.slot, f.status, 'r' || r.number as run, 't' || t.number as task, f.error,
  f.missed_ticks, f.missed_since, f.trigger_payload as variables, f.id as routine_run_id
from office.routine_runs as f
left join office.runs as r on r.id = f.linked_run_id
left join office.tasks as t on t.id = f.linked_task_id
where f.routine_id = %(routine_id)s
order by f.fired_at desc, f.id desc
limit %(limit)s
"""

NEXT = """
select n.next_run_at, n.expression, n.timezone
from office.routines as r
cross join lateral (
  select f.next_run_at, t.expression, t.timezone
  from office.routine_triggers as t
  cross join lateral office.cron_fires(t.expression, t.timezone, t.next_run_at - interval '1 minute', 5)
    as f (next_run_at)
  where t.routine_id = r.id and t.kind = 'schedule' and t.enabled
  union all
  select t.next_run_at, null, t.timezone
  from office.routine_triggers as t
  where t.routine_id = r.id and t.kind = 'once' and t.enabled
) as n
where r.id = %(routine_id)s and r.status = 'active'
order by n.next_run_at
limit 5
"""

STATUSES = "select unnest(array['active', 'paused', 'archived'])"

Act = Callable[[Office], RoutineRow | TriggerRow | FireRow]


def _act(session: Session, act: Act, *, dry_run: bool) -> None:
    with session.office(dry_run=dry_run) as desk:
        row = act(desk)
    show_record(row, layout=session.layout)


@click.group("routine")
def command() -> None:
    """Routines: what agents do again and again."""


@command.command("list")
@click.option("--status", metavar="STATUS", help="Only those: active, paused or archived.")
@workspace_option
@session_options
def list_(session: Session, **chosen: Any) -> None:
    """Routines and what fires them, the next first."""
    with session.office() as desk:
        known_name(desk, "status", chosen["status"], STATUSES)
        rows = desk.execute(SCHEDULE, chosen)
    show_rows(
        rows,
        ["routine", "status", "agent", "kind", "expression", "timezone", "next_run_at", "last_status"],
        wide=["last_fired_at", "enabled", "workspace", "trigger_id"],
        layout=session.layout,
        empty="No such routine.",
    )


@command.command()
@click.argument("routine")
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="At most so many fires.")
@session_options
def show(session: Session, routine: str, limit: int) -> None:
    """One routine: its triggers, its last fires with what became of each, and the next five."""
    chosen = "and lower(%(ref)s) in (lower(r.name), lower(w.name || '/' || r.name), r.id::text)"
    with session.office() as desk:
        row = look_up(desk, "routine", ROUTINE, chosen, routine.removeprefix("routine:"))
        row["triggers"] = desk.execute(TRIGGERS, row)
        row["fires"] = desk.execute(FIRES, {**row, "limit": limit})
        row["next"] = desk.execute(NEXT, row)
    if session.layout.json:
        show_record(row, layout=session.layout)
        return
    lists = ("triggers", "fires", "next")
    show_record(row, layout=session.layout, fields=[name for name in row if name not in lists])
    columns = {
        "triggers": ["kind", "expression", "timezone", "enabled", "next_run_at", "path", "trigger_id"],
        "fires": ["fired_at", "source", "slot", "status", "run", "task", "missed_ticks", "error"],
        "next": ["next_run_at", "expression", "timezone"],
    }
    for name in lists:
        if row[name]:
            heading(name.capitalize())
            show_rows(row[name], columns[name], layout=session.layout, empty="")


@command.command()
@click.argument("name")
@click.argument("agent")
@click.option("--description", "-d", metavar="TEXT", help="What the agent is told when it makes no task.")
@click.option(
    "--task-template", callback=json_object, metavar="JSON", help='As {"title": "Report {{date}}"}.'
)
@click.option("--variables", callback=json_object, metavar="JSON", help='As {"env": {"default": "prod"}}.')
@click.option(
    "--concurrency-policy", metavar="POLICY", help="coalesce_if_active, skip_if_active or always_enqueue."
)
@click.option("--catch-up-policy", metavar="POLICY", help="enqueue_missed_with_cap or skip_missed.")
@click.option("--catch-up-max", type=int, metavar="N", help="Most missed slots that still fire.")
@workspace_option
@dry_run_option
@session_options
def create(session: Session, name: str, agent: str, dry_run: bool, **arguments: Any) -> None:
    """Make a routine of an agent. It fires once it has a trigger: officectl routine trigger add."""
    _act(session, lambda desk: desk.create_routine(name, agent, **arguments), dry_run=dry_run)


@command.command()
@click.argument("routine")
@click.option("--reason", metavar="TEXT", help="Why.")
@session_options
def pause(session: Session, routine: str, reason: str | None) -> None:
    """Let a routine fire no more, until it is resumed; what passes meanwhile is not caught up."""
    with session.office() as desk:
        row = desk.pause(named(routine), reason)
    show_record(row, layout=session.layout)


@command.command()
@click.argument("routine")
@session_options
def resume(session: Session, routine: str) -> None:
    """Let a paused routine fire again, at its next slot."""
    with session.office() as desk:
        row = desk.resume(named(routine))
    show_record(row, layout=session.layout)


@command.command()
@click.argument("routine")
@click.option("--yes", is_flag=True, help="Do not ask.")
@session_options
def archive(session: Session, routine: str, yes: bool) -> None:
    """End a routine, for good."""
    if not yes:
        click.confirm(f"Archive {routine}? It never fires again.", abort=True, err=True)
    _act(session, lambda desk: desk.archive_routine(routine), dry_run=False)


@command.command()
@click.argument("routine")
@click.option("--variables", callback=json_object, metavar="JSON", help='Values, as {"env": "test"}.')
@dry_run_option
@session_options
def fire(session: Session, routine: str, variables: Any, dry_run: bool) -> None:
    """Fire a routine now."""
    _act(session, lambda desk: desk.fire_routine(routine, variables), dry_run=dry_run)


@command.command()
@click.argument("expression")
@click.option("--timezone", "-z", default="UTC", show_default=True, metavar="ZONE", help="As Europe/Berlin.")
@click.option(
    "--after",
    type=click.DateTime(["%Y-%m-%d", *(f"%Y-%m-%d{gap}%H:%M{rest}" for gap in " T" for rest in ("", ":%S"))]),
    metavar="TIME",
    help="Fires after this, in UTC, as 2027-10-02 14:00; now unless said.",
)
@click.option("--count", "-n", type=click.IntRange(1, 1000), default=10, show_default=True)
@session_options
def preview(session: Session, expression: str, timezone: str, after: datetime | None, count: int) -> None:
    """When a cron expression fires, and which slots a change of the clocks removes or folds."""
    since = after.replace(tzinfo=UTC) if after else None
    with session.office() as desk:
        if since is None:
            since = desk.execute("select office.now() as now")[0]["now"]
        fires = desk.cron_fires(expression, timezone, since, count)
    rows = marked(expression, timezone, since, fires)
    show_rows(rows, ["slot", "fires_at", "what"], layout=session.layout, empty="It does not fire.")


def marked(expression: str, timezone: str, since: datetime, fires: list[datetime]) -> list[dict[str, Any]]:
    """The fires, and between them the slots that do not fire, or whose wall-clock time comes twice (R7).

    The slots are croniter's, on a wall clock that knows no change; whether one fires is the database's word.
    """
    try:
        zone = ZoneInfo(timezone or "UTC")
    except ZoneInfoNotFoundError:
        # The server knows it; here nothing can be marked.
        return [{"slot": None, "fires_at": fire, "what": ""} for fire in fires]
    known = {fire.astimezone(zone).replace(tzinfo=None): fire for fire in fires}
    rows = []
    for slot in slots(expression, since.astimezone(zone).replace(tzinfo=None), max(known)):
        # The second reading of a time that comes twice may be to come.
        if slot.replace(tzinfo=zone, fold=1).astimezone(UTC) <= since:
            continue
        exists = slot.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None) == slot
        twice = (
            exists and slot.replace(tzinfo=zone).utcoffset() != slot.replace(tzinfo=zone, fold=1).utcoffset()
        )
        if slot in known:
            what = "comes twice, fires the first time" if twice else ""
            rows.append({"slot": slot, "fires_at": known.pop(slot), "what": what})
        elif not exists:
            rows.append({"slot": slot, "fires_at": None, "what": "skipped: the clocks go forward over it"})
        elif twice:
            rows.append({"slot": slot, "fires_at": None, "what": "folded: it has fired the first time"})
    rows += [{"slot": slot, "fires_at": fire, "what": ""} for slot, fire in known.items()]
    return sorted(rows, key=lambda row: row["slot"])


def slots(expression: str, since: datetime, until: datetime) -> Iterator[datetime]:
    """What the expression names on a wall clock without changes, from an hour before on."""
    naming = croniter(expression.lower(), since - timedelta(hours=1), implement_cron_bug=True)
    while (slot := naming.get_next(datetime)) <= until:
        yield slot


def named(routine: str) -> str:
    return routine if routine.startswith("routine:") else f"routine:{routine}"


@command.group("trigger")
def trigger() -> None:
    """What fires a routine: schedules, single times, webhooks."""


@trigger.command()
@click.argument("routine")
@click.option("--schedule", "-s", metavar="CRON", help='As "0 9 * * mon-fri".')
@click.option("--once", metavar="TIME", help="As 2027-03-01 09:00+01.")
@click.option("--webhook", is_flag=True, help="Fired by a POST; its secret is shown once.")
@click.option("--timezone", "-z", metavar="ZONE", help="Of the schedule, as Europe/Berlin; UTC unless said.")
@click.option("--signing", metavar="HOW", help="hmac_sha256, bearer or none.")
@click.option("--secret", metavar="TEXT", help="The webhook's secret; one is made unless given.")
@session_options
def add(
    session: Session,
    routine: str,
    schedule: str | None,
    once: str | None,
    webhook: bool,
    timezone: str | None,
    signing: str | None,
    secret: str | None,
) -> None:
    """Have a routine fired by a schedule, at a time, or by a webhook."""
    if (schedule is not None) + (once is not None) + webhook != 1:
        raise click.UsageError("Say one of --schedule, --once and --webhook.")
    if not webhook and (signing or secret):
        raise click.UsageError("--signing and --secret are a --webhook's.")

    def act(desk: Office) -> TriggerRow:
        if schedule is not None:
            return desk.add_schedule(routine, schedule, timezone)
        if once is not None:
            return desk.add_once(routine, once, timezone)
        return desk.add_webhook(routine, signing, secret)

    _act(session, act, dry_run=False)


@trigger.command()
@click.argument("trigger_id", metavar="TRIGGER")
@click.option("--schedule", "-s", metavar="CRON", help="Another cron expression.")
@click.option("--once", metavar="TIME", help="Another time.")
@click.option("--timezone", "-z", metavar="ZONE", help="Another zone.")
@click.option("--signing", metavar="HOW", help="hmac_sha256, bearer or none.")
@click.option("--secret", metavar="TEXT", help="Another secret.")
@click.option("--rotate-secret", is_flag=True, help="Make it a new secret, shown once.")
@click.option("--enable/--disable", "enabled", default=None, help="Whether it fires.")
@session_options
def update(
    session: Session,
    trigger_id: str,
    schedule: str | None,
    once: str | None,
    timezone: str | None,
    signing: str | None,
    secret: str | None,
    rotate_secret: bool,
    enabled: bool | None,
) -> None:
    """Change what fires a routine; a change that is refused leaves the old one in force."""
    chosen = {
        "expression": schedule,
        "fire_at": once,
        "timezone": timezone,
        "signing": signing,
        "secret": secret,
        "enabled": enabled,
    }
    changes = {name: value for name, value in chosen.items() if value is not None}
    if rotate_secret and changes:
        raise click.UsageError("--rotate-secret stands alone.")
    if rotate_secret:
        _act(session, lambda desk: desk.rotate_secret(trigger_id), dry_run=False)
    else:
        _act(session, lambda desk: desk.update_trigger(trigger_id, changes), dry_run=False)


@trigger.command()
@click.argument("trigger_id", metavar="TRIGGER")
@click.option("--yes", is_flag=True, help="Do not ask.")
@session_options
def remove(session: Session, trigger_id: str, yes: bool) -> None:
    """Take away what fires a routine."""
    if not yes:
        click.confirm(f"Remove trigger {trigger_id}?", abort=True, err=True)
    _act(session, lambda desk: desk.remove_trigger(trigger_id), dry_run=False)
