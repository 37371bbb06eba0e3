"""`officectl run`: what became of the wakeups."""

import shlex
import time
from collections.abc import Callable
from typing import Any

import click

from officectl import worktrees
from officectl.cli.session import (
    Function,
    Session,
    dry_run_option,
    known_name,
    session_options,
    watchable,
    workspace_option,
)
from officectl.errors import Refused
from officectl.executors.engine import engine_of
from officectl.executors.lines import storable
from officectl.office import ChosenRunRow, Json, Office
from officectl.render import Layout, heading, show_record, show_rows, text

QUERY = """
select 'r' || r.number as run, a.name as agent, 't' || t.number as task, t.title, r.reason,
  office.run_label(r.status, r.result) as label, r.status, r.result, w.name as workspace,
  r.coalesced_count as wakeups, r.retry_count as retries, r.scheduled_retry_at as retry_at,
  r.ended_at - last.started_at as took, last.result ->> 'summary' as summary, last.error, last.exit_code,
  r.requested_at, r.claimed_at, r.ended_at, r.id as run_id
from office.runs r
join office.workspaces w on w.id = r.workspace_id
join office.agents a on a.id = r.agent_id
left join office.tasks t on t.id = r.task_id
left join lateral (
  select at.* from office.attempts at where at.run_id = r.id order by at.number desc limit 1
) last on true
where true
"""

LISTED = """
and (%(workspace)s::text is null or lower(w.name) = lower(%(workspace)s))
and (%(agent)s::text is null or lower(a.name) = lower(%(agent)s))
and (%(task)s::text is null or 't' || t.number = lower(%(task)s))
and (%(status)s::text is null or %(status)s in (r.status, r.result))
order by r.number desc
limit %(limit)s
"""

WORKTREE = """
select t.branch, t.folder, t.repository
from office.runs r
join office.worktrees t on t.task_id = r.task_id and t.agent_id = r.agent_id
where r.id = %(run_id)s
"""

# What a run can result in is listed by the checks on the two columns that `result` is made of.
STATUSES = """
select status from office.run_states
union
select found[1]
from pg_catalog.pg_constraint c
join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and array[a.attnum] = c.conkey
cross join regexp_matches(pg_catalog.pg_get_constraintdef(c.oid), '''([a-z_]+)''', 'g') found
where c.conrelid = 'office.runs'::regclass and c.contype = 'c' and a.attname in ('outcome', 'cancel_reason')
order by 1
"""

ATTEMPTS = """
select at.number as attempt, k.host as worker, at.pid, at.outcome, at.exit_code,
  at.ended_at - at.started_at as took, at.error, at.killed, at.result, at.started_at, at.ended_at,
  at.id as attempt_id
from office.attempts at
join office.workers k on k.id = at.worker_id
where at.run_id = %(run_id)s
order by at.number
"""

USAGE = """
select u.model, sum(u.tokens_in) as tokens_in, sum(u.tokens_cached_read) as cached_read,
  sum(u.tokens_cached_write) as cached_write, sum(u.tokens_out) as tokens_out,
  sum(u.cost_cents) as cost_cents, string_agg(distinct u.cost_source, ', ') as cost_source
from office.usage_events u
where u.run_id = %(run_id)s
group by u.model
order by u.model
"""

FEEDBACK = """
select f.number, a.name as account, f.body, f.created_at, 'r' || r.number as follow_up
from office.feedback f
join office.accounts a on a.id = f.account_id
left join office.wakeups w on w.id = f.wakeup_id
left join office.runs r on r.id = w.run_id
where f.run_id = %(run_id)s
order by f.number
"""

CHANGED = """
select f.path
from office.attempts at
cross join lateral jsonb_array_elements_text(
  case jsonb_typeof(at.result -> 'changed_files') when 'array' then at.result -> 'changed_files' end
) f (path)
where at.run_id = %(run_id)s
order by f.path
"""

PROMPT = """
select p.assembled_prompt
from office.attempts at
join office.attempt_prompts p on p.attempt_id = at.id
where at.run_id = %(run_id)s
order by at.number desc
limit 1
"""


PARTS = ("attempts", "usage", "changed_files", "feedback")

# Nothing of the program is left only once its launcher has said so.
LEFT = """
select r.ended_at is not null and (at.id is null or at.cleaned_at is not null) as over, at.engine_session,
  x.body as executor, coalesce(
    x.body ->> 'folder', y.folder,
    case when office.get_setting('project_folders', w.name) = 'on' then j.folder end
  ) as folder
from office.runs r
join office.workspaces w on w.id = r.workspace_id
join office.executors x on x.id = r.executor_id
left join office.worktrees y on y.task_id = r.task_id and y.agent_id = r.agent_id and y.collected_at is null
left join office.tasks t on t.id = r.task_id
left join office.projects j on j.id = t.project_id
left join lateral (
  select a.* from office.attempts a where a.run_id = r.id order by a.number desc limit 1
) at on true
where r.id = %(run_id)s
"""

LOOK_SECONDS = 0.2
"""Between two looks whether a run has ended."""


@click.group("run")
def command() -> None:
    """Runs: what became of the wakeups."""


@command.command("list")
@click.option("--agent", metavar="NAME", help="Only this agent's.")
@click.option("--task", metavar="TASK", help="Only this task's.")
@click.option("--status", metavar="STATUS", help="Only those with this status or result, such as queued.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@workspace_option
@session_options
@watchable
def list_(session: Session, **chosen: Any) -> None:
    """Runs, the newest first."""
    with session.office() as desk:
        known_name(desk, "status", chosen["status"], STATUSES)
        rows = desk.execute(QUERY + LISTED, chosen)
    show_rows(
        rows,
        ["run", "agent", "task", "reason", "label", "took", "summary"],
        wide=["wakeups", "retries", "retry_at", "error", "workspace", "requested_at", "ended_at", "run_id"],
        layout=session.layout,
        empty="No such run.",
    )


@command.command()
@click.argument("run")
@click.option("--prompt", is_flag=True, help="What it was told, and nothing else.")
@session_options
def show(session: Session, run: str, prompt: bool) -> None:
    """One run and its attempts."""
    with session.office() as desk:
        if prompt:
            for told in desk.execute(PROMPT, find_run(desk, run)):
                click.echo(text(told["assembled_prompt"]))
            return
        row = evidence(desk, run)
    show_run(row, session.layout)


def evidence(desk: Office, run: str) -> Json:
    """A run with its attempts, what they used and changed, and what was said of it."""
    row = find_run(desk, run)
    row["attempts"] = desk.execute(ATTEMPTS, row)
    row["usage"] = desk.execute(USAGE, row)
    row["changed_files"] = [file["path"] for file in desk.execute(CHANGED, row)]
    row["feedback"] = desk.execute(FEEDBACK, row)
    return row


def show_run(row: Json, layout: Layout) -> None:
    """Print what `evidence` found."""
    if layout.json:
        show_record(row, layout=layout)
        return
    show_record(row, layout=layout, fields=[name for name in row if name not in PARTS])
    if row["attempts"]:
        heading("Attempts")
        show_rows(
            row["attempts"],
            ["attempt", "worker", "pid", "outcome", "exit_code", "took", "killed", "error"],
            layout=layout,
            empty="",
        )
    if row["usage"]:
        heading("Usage")
        show_rows(row["usage"], list(row["usage"][0]), layout=layout, empty="")
    if row["changed_files"]:
        heading("Changed files")
        for path in row["changed_files"]:
            click.echo(text(path))
    if row["feedback"]:
        heading("Feedback")
        show_rows(row["feedback"], list(row["feedback"][0]), layout=layout, empty="")


@command.command()
@click.argument("run")
@click.argument("body")
@click.option("--follow-up", is_flag=True, help="Wake its agent with it.")
@dry_run_option
@session_options
def feedback(session: Session, run: str, body: str, follow_up: bool, dry_run: bool) -> None:
    """Say what you think of a run. The run stays as it is."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.add_feedback(run, body, follow_up)
    show_record(row, layout=session.layout)


def chosen_by(function: Function) -> Function:
    """Adds the filters by which many runs are chosen; the database refuses to choose by none."""
    for option in reversed(
        [
            click.option("--agent", metavar="NAME", help="Only this agent's."),
            workspace_option,
            click.option("--task", metavar="TASK", help="Only this task's."),
            click.option("--status", metavar="STATUS", help="Only those with this status."),
            click.option("--since", type=click.DateTime(), help="Only those of this time and later."),
            click.option("--yes", is_flag=True, help="Do not ask."),
        ]
    ):
        function = option(function)
    return function


@command.command()
@click.argument("run", required=False)
@chosen_by
@click.option("--anew", is_flag=True, help="With the executor that task and agent name today.")
@dry_run_option
@session_options
def retry(session: Session, run: str | None, anew: bool, yes: bool, dry_run: bool, **chosen: Any) -> None:
    """Queue a run again that failed, was interrupted or is blocked; or many, chosen by options.

    Of many it says first what would become of each, and asks.
    """
    if run is None:
        _many(
            session,
            "retry",
            lambda desk, dry: desk.retry_runs(**chosen, anew=anew, dry_run=dry),
            yes,
            dry_run,
        )
        return
    if any(value is not None for value in chosen.values()):
        raise click.UsageError("Name a RUN, or choose many by options.")
    with session.office(dry_run=dry_run) as desk:
        row = desk.retry_run(run, anew)
    show_record(row, layout=session.layout)


@command.command()
@chosen_by
@click.option("--reason", metavar="TEXT", help="Why; it is kept with the runs.")
@dry_run_option
@session_options
def stop(session: Session, reason: str | None, yes: bool, dry_run: bool, **chosen: Any) -> None:
    """Stop many runs, chosen by options; `officectl stop` stops one, or an agent.

    It says first what would become of each, and asks.
    """
    _many(
        session, "stop", lambda desk, dry: desk.stop_runs(**chosen, reason=reason, dry_run=dry), yes, dry_run
    )


@command.command()
@click.argument("run")
@click.option("--timeout", type=click.IntRange(1), default=60, show_default=True, help="Seconds to wait.")
@session_options
def takeover(session: Session, run: str, timeout: int) -> None:
    """Stop a run's program, keep its engine session, and say how a person goes on in it.

    The command is printed alone, to be typed in the folder that is named with it.
    """
    with session.office() as desk:
        row = find_run(desk, run)
        if row["ended_at"] is None:
            desk.stop(row["run"], "A person takes over.")
    until = time.monotonic() + timeout
    while True:
        with session.office() as desk:
            (left,) = desk.execute(LEFT, row)
        if left["over"]:
            break
        if time.monotonic() > until:
            raise Refused(
                f"{row['run']} has not ended within {timeout} s.", f"See: officectl why {row['run']}"
            )
        time.sleep(LOOK_SECONDS)
    engine = engine_of(left["executor"])
    if engine is None or left["engine_session"] is None:
        raise Refused(
            f"{row['run']} is stopped, and has no engine session that a person could go on in.",
            "Only claude, codex, gemini and opencode keep one that has a command.",
        )
    click.echo(f"cd {shlex.quote(left['folder'] or '')}" if left["folder"] else "cd")
    click.echo(engine.resume(left["engine_session"]))


@command.command()
@click.argument("run")
@session_options
def diff(session: Session, run: str) -> None:
    """What the worktree of a run's task and agent changes, committed or not; no secrets are shown."""
    with session.office() as desk:
        row = find_run(desk, run)
        found = desk.execute(WORKTREE, row)
    if not found:
        raise Refused(
            f"{row['run']} has no worktree.",
            "officectl project edit PROJECT --isolation worktree",
            code="not_found",
        )
    try:
        with session.office() as desk:
            shown = desk.preview(storable(worktrees.diff(found[0])))
        click.echo(shown, nl=False)
    except worktrees.NoWorktree as fault:
        raise Refused(str(fault), "It may be merged, and collected: officectl worktree list") from fault


def _many(
    session: Session, verb: str, act: Callable[[Office, bool], list[ChosenRunRow]], yes: bool, dry_run: bool
) -> None:
    with session.office() as desk:
        rows = act(desk, True)
    if rows and not (yes or dry_run):
        for row in rows:
            click.echo(f"{row['run']} of {row['agent_name']}: {row['was']}, then {row['becomes']}", err=True)
        click.confirm(f"{verb.capitalize()} these {len(rows)} runs?", abort=True, err=True)
    if rows and not dry_run:
        with session.office() as desk:
            rows = act(desk, False)
    show_rows(
        rows,
        ["run", "agent_name", "task_number", "was", "becomes"],
        wide=["run_id"],
        layout=session.layout,
        empty="No such run.",
    )


def find_run(desk: Office, ref: str) -> dict[str, Any]:
    """The row of a run, or of the run of a task or wakeup; Refused when there is none."""
    found = desk.result(ref)
    if found["run"] is None:
        raise Refused(f"{ref} has no run.", f"See why: officectl why {ref}", code="not_found", status=404)
    return desk.execute(QUERY + "and r.number = substr(%(run)s, 2)::bigint", found)[0]
