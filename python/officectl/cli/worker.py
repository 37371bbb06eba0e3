"""`officectl worker`: the processes that launch agents' programs."""

from uuid import UUID

import click

from officectl.cli.session import Session, dry_run_option, look_up, session_options
from officectl.render import show_record, show_rows

QUERY = """
select k.id::text as worker, k.host, k.pid, k.version,
  case
    when k.ended_at is not null then coalesce(k.end_reason, 'ended')
    when k.lease_until <= office.now() then 'silent'
    when k.draining then 'draining'
    else 'beating'
  end as state,
  (
    select count(*) from office.runs r
    join office.run_states s on s.status = r.status
    where r.worker_id = k.id and s.live
  ) as runs,
  k.max_runs, w.name as workspace, k.beat_at, k.lease_until, k.registered_at, k.ended_at
from office.workers k
left join office.workspaces w on w.id = k.only_workspace_id
where true
"""


@click.group("worker")
def command() -> None:
    """Workers: the processes that launch agents' programs."""


@command.command("list")
@click.option("--all", "ended_too", is_flag=True, help="Ended ones too.")
@session_options
def list_(session: Session, ended_too: bool) -> None:
    """Workers, the newest first; `silent` means that its lease has run out."""
    chosen = "and (%(ended_too)s or k.ended_at is null) order by k.registered_at desc, k.id desc limit 200"
    with session.office() as desk:
        rows = desk.execute(QUERY + chosen, {"ended_too": ended_too})
    show_rows(
        rows,
        ["worker", "host", "pid", "version", "state", "runs"],
        wide=["max_runs", "workspace", "beat_at", "lease_until", "registered_at", "ended_at"],
        layout=session.layout,
        empty="No worker is here. Start one: officectl serve",
    )


@command.command()
@click.argument("worker", type=click.UUID)
@click.option("--yes", is_flag=True, help="Do not ask.")
@dry_run_option
@session_options
def expire(session: Session, worker: UUID, yes: bool, dry_run: bool) -> None:
    """Say that a worker is dead, without waiting for its lease: its runs are settled.

    A worker that lives after all stops its programs as soon as it hears of it.
    """
    with session.office() as desk:
        row = look_up(desk, "worker", QUERY, "and k.id = %(ref)s::uuid", str(worker))
    if not (yes or dry_run):
        question = (
            f"Is the worker on {row['host']} (pid {row['pid']}, {row['state']}, {row['runs']} runs) dead"
        )
        click.confirm(f"{question}? Its runs are interrupted or queued again", abort=True, err=True)
    with session.office(dry_run=dry_run) as desk:
        settled = desk.expire_worker(worker)
    show_record({"worker": worker, "settled_runs": settled}, layout=session.layout)
