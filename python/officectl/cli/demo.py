"""`officectl demo`: a small office at work, from nothing, within a minute.

It has a database of its own, which outlives it, so that one can look around; a second demo goes on in the
same office.
"""

import asyncio
import shlex
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import click

from officectl.agent.sample import write_sample
from officectl.cli.demo_office import AGENTS, WORKSPACE, furnish, give_work
from officectl.cli.demo_program import Program
from officectl.cli.run import evidence, show_run
from officectl.cli.session import Session, demo_folder
from officectl.cli.startup import bring_up_to_date, expire_dead_workers, start_embedded
from officectl.cli.why import tell
from officectl.database.embedded import Cluster
from officectl.errors import OfficeError
from officectl.office import Json, Office
from officectl.render import Layout, heading, printable, show_rows, text
from officectl.service.serve import serve

PATIENCE_SECONDS = 45
PROGRAM_PATIENCE_SECONDS = 180
LOOK_SECONDS = 0.2
GRACE_SECONDS = 3.0

BEFORE = """
select
  coalesce((select max(number) from office.runs), 0) as last_run,
  coalesce((select max(number) from office.tasks), 0) as last_task,
  %(workspace)s::text as workspace, clock_timestamp() as begun
"""

RUNS = """
select 'r' || r.number as run, a.name as agent, 't' || t.number as task, r.reason as why_woken,
  office.run_label(r.status, r.result) as result, r.ended_at - last.started_at as took,
  coalesce(last.result ->> 'summary', last.error) as what_it_did
from office.runs r
join office.workspaces w on w.id = r.workspace_id
join office.agents a on a.id = r.agent_id
left join office.tasks t on t.id = r.task_id
left join lateral (
  select at.* from office.attempts at where at.run_id = r.id order by at.number desc limit 1
) last on true
where w.name = %(workspace)s and r.number > %(last_run)s
order by r.number
"""

EVENTS = """
select e.at - %(begun)s as after, e.key, 'r' || r.number as run, a.name as agent, e.what
from office.runs r
join office.workspaces w on w.id = r.workspace_id
join office.agents a on a.id = r.agent_id
left join office.tasks t on t.id = r.task_id
cross join lateral (
  select
    r.requested_at as at, 'woken' as key,
    'is woken: ' || r.reason || coalesce(', t' || t.number || ' "' || t.title || '"', '') as what
  union all
  select x.started_at, 'launched ' || x.number, 'is launched as process ' || x.pid
  from office.attempts x
  where x.run_id = r.id and x.started_at is not null
  union all
  select s.at, 'said ' || x.number || ' ' || s.sequence, '| ' || s.content
  from office.attempts x
  join office.attempt_steps s on s.attempt_id = x.id
  where x.run_id = r.id and s.kind = 'output' and s.content not like '{%%'
  union all
  select x.ended_at, 'ended ' || x.number, x.outcome || coalesce(': ' || x.error, '')
  from office.attempts x
  where x.run_id = r.id and x.ended_at is not null
) e
where w.name = %(workspace)s and r.number > %(last_run)s
order by e.at, r.number
"""

AT_WORK = """
select
  exists (
    select from office.tasks t
    join office.workspaces w on w.id = t.workspace_id
    join office.task_states s on s.state = t.state
    where w.name = %(workspace)s and t.number > %(last_task)s and not s.closed
  )
  or exists (
    select from office.runs r
    join office.workspaces w on w.id = r.workspace_id
    join office.run_states s on s.status = r.status
    where w.name = %(workspace)s and r.number > %(last_run)s and not s.ended
  )
  or exists (
    select from office.wakeups k
    join office.workspaces w on w.id = k.workspace_id
    where w.name = %(workspace)s and k.status = 'queued'
  ) as at_work
"""

TASKS = """
select 't' || t.number as task, t.title, t.state, a.name as assignee, author.name as made_by
from office.tasks t
join office.workspaces w on w.id = t.workspace_id
left join office.agents a on a.id = t.assignee_agent_id
left join office.agents author on author.id = t.created_by_agent_id
where w.name = %(workspace)s and t.number > %(last_task)s
order by t.number
"""

COMMENTS = """
select 't' || t.number as task, a.name as agent, c.body as said
from office.comments c
join office.tasks t on t.id = c.task_id
join office.agents a on a.id = c.author_agent_id
join office.workspaces w on w.id = t.workspace_id
where w.name = %(workspace)s and t.number > %(last_task)s
order by c.created_at
"""


@click.command("demo")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    help="A folder of yours to survey; REPORT.md and CHECKLIST.md are written there.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, resolve_path=True, path_type=Path),
    help="Where the demo's database lives; beside the usual one unless said.",
)
@click.option(
    "--agent",
    metavar="PROGRAM",
    help="An agent program instead of the demo's own: claude, codex, gemini, opencode, acp:'COMMAND'.",
)
@click.option(
    "--own-account", is_flag=True, help="With your account for PROGRAM, not with a model of the demo's own."
)
@click.option("--keep/--stop", default=True, help="Let the demo's database run on at the end, or stop it.")
def command(folder: Path | None, data: Path | None, agent: str | None, own_account: bool, keep: bool) -> None:
    """Show an office at work: three agents, real processes, a database of its own.

    With --agent one agent program does a task, for which it asks you something, and a routine; it is answered
    for you. It talks to a small model on this machine that always says the same: no account is needed.
    """
    program = Program.named(agent, own_account=own_account) if agent else None
    began = time.monotonic()
    cluster = start_embedded(data or demo_folder())
    try:
        bring_up_to_date(cluster.dsn)
        expire_dead_workers(cluster.dsn)
        session = Session(cluster.dsn, Layout())
        with session.office() as desk:
            before = desk.execute(BEFORE, {"workspace": WORKSPACE})[0]
        up = time.monotonic() - began
        with session.office() as desk:
            if program:
                program.furnish(desk, folder or _empty(cluster), cluster.folder)
            else:
                project = furnish(desk, folder or _sample(cluster))
                give_work(desk, project)
                click.echo(f"Workspace {WORKSPACE}: agents {', '.join(AGENTS)}; project {project}")
        narrator = Narrator(session, before, program)
        with program.model() if program else nullcontext():
            asyncio.run(narrator.work())
        narrator.sum_up()
        launch = "never" if narrator.first_launch is None else f"{text(narrator.first_launch)} later"
        click.echo(
            f"\nThe database was up after {up:.1f}s, the first launch came {launch},"
            f" all of it took {time.monotonic() - began:.1f}s."
        )
        if keep:
            _say_what_next(cluster, f"r{before['last_run'] + 1}")
        if not narrator.settled:
            raise OfficeError(f"Not all had ended after {narrator.patience} s.", "See: officectl run list")
    finally:
        if not keep:
            cluster.stop()


@dataclass
class Narrator:
    """Tells what happens while it happens; `before` says what was there already."""

    session: Session
    before: Json
    program: Program | None = None
    first_launch: timedelta | None = None
    settled: bool = False
    _told: set[tuple[str, str]] = field(default_factory=set)

    @property
    def patience(self) -> int:
        """Seconds."""
        return PATIENCE_SECONDS if self.program is None else PROGRAM_PATIENCE_SECONDS

    async def work(self) -> None:
        """Scheduler and worker in this process, until all is settled or patience ends."""
        stop = asyncio.Event()
        served = asyncio.create_task(serve(self.session.dsn or "", stop=stop, grace=GRACE_SECONDS))
        watched = asyncio.create_task(asyncio.to_thread(self._watch, stop))
        try:
            await asyncio.wait((served, watched), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop.set()
            await asyncio.gather(served, watched)

    def _watch(self, stop: asyncio.Event) -> None:
        until = time.monotonic() + self.patience
        with self.session.office() as desk:
            while not (self.settled or stop.is_set() or time.monotonic() > until):
                time.sleep(LOOK_SECONDS)
                # Asked first: what ends after the question is told in the next turn.
                at_work = desk.execute(AT_WORK, self.before)[0]["at_work"]
                self._tell_news(desk)
                if self.program:
                    self.program.answer(desk)
                self.settled = not at_work
                desk.connection.commit()

    def _tell_news(self, desk: Office) -> None:
        for event in desk.execute(EVENTS, self.before):
            event_id = (event["run"], event["key"])
            if event_id in self._told:
                continue
            self._told.add(event_id)
            if self.first_launch is None and event["key"].startswith("launched"):
                self.first_launch = event["after"]
            seconds = event["after"].total_seconds()
            click.echo(f"{seconds:5.1f}s  {event['run']} {event['agent']} {printable(event['what'])}")

    def sum_up(self) -> None:
        """The tables, and the story of the first run."""
        with self.session.office() as desk:
            runs = desk.execute(RUNS, self.before)
            tasks = desk.execute(TASKS, self.before)
            comments = desk.execute(COMMENTS, self.before)
            story = desk.why(runs[-1]["run"]) if runs else []
        heading("Runs")
        show_rows(
            runs,
            ["run", "agent", "task", "why_woken", "result", "took", "what_it_did"],
            layout=self.session.layout,
            empty="None.",
        )
        heading("Tasks")
        show_rows(
            tasks,
            ["task", "title", "state", "assignee", "made_by"],
            layout=self.session.layout,
            empty="None.",
        )
        heading("What agents said on them")
        show_rows(comments, ["task", "agent", "said"], layout=self.session.layout, empty="Nothing.")
        if runs:
            heading(f"Why {runs[-1]['run']}")
            tell(story)
        if self.program:
            for run in runs:
                heading(f"Evidence of {run['run']}")
                with self.session.office() as desk:
                    show_run(evidence(desk, run["run"]), self.session.layout)


def _sample(cluster: Cluster) -> Path:
    folder = cluster.folder / "shop"
    write_sample(folder)
    return folder


def _empty(cluster: Cluster) -> Path:
    folder = cluster.folder / "work"
    folder.mkdir(exist_ok=True)
    return folder


def _say_what_next(cluster: Cluster, run: str) -> None:
    heading("Its database runs on; look around with")
    click.echo(f"  export OFFICE_DSN={shlex.quote(cluster.dsn)}")
    for line in ("status", f"why {run}", f"logs {run}", f"run show {run} --prompt", "task list", "psql"):
        click.echo(f"  officectl {line}")
    click.echo(f"Stop it with\n  kill -INT {cluster.pid}")
