"""`officectl provider`: the accounts that agents' programs spend from: what is on hold, how much may go."""

import click

from officectl.cli.session import Session, dry_run_option, not_empty, session_options
from officectl.render import show_record, show_rows

QUERY = """
select p.provider, h.model,
  case
    when h.id is null then 'open'
    when h.until > office.now() then 'on hold'
    when h.probe_run_id is not null then 'being tried'
    else 'to be tried'
  end as state,
  h.until, h.reason, h.since, 'r' || q.number as hit_by,
  (
    select count(*) from office.runs r
    join office.executors x on x.id = r.executor_id and x.provider = p.provider
    where r.status in ('claimed', 'running', 'stopping')
  ) as requests,
  l.max_requests as most,
  (
    select count(*) from office.runs r
    join office.executors x on x.id = r.executor_id and x.provider = p.provider
    where r.status = 'queued' and r.parked = 'provider' and (h.model is null or x.model = h.model)
  ) as waiting
from (
  select x.provider from office.executors x where x.provider is not null
  union
  select l.provider from office.provider_limits l
) p
left join office.provider_limits l on l.provider = p.provider
left join office.provider_holds h on h.provider = p.provider and h.ended_at is null
left join office.runs q on q.id = h.run_id
order by p.provider, h.model nulls first
"""


@click.group("provider")
def command() -> None:
    """Provider accounts: holds after a limit was hit, and how many requests go at once."""


@command.command("list")
@session_options
def list_(session: Session) -> None:
    """The accounts that executors name, a line for each that is open, and one for each hold."""
    with session.office() as desk:
        rows = desk.execute(QUERY)
    show_rows(
        rows,
        ["provider", "model", "state", "until", "requests", "most", "waiting"],
        wide=["reason", "since", "hit_by"],
        layout=session.layout,
        empty='No executor names a provider account: {"command": ["…"], "provider": "anthropic:team"}',
    )


@command.command("end-hold")
@click.argument("provider", callback=not_empty)
@click.option("--model", metavar="NAME", callback=not_empty, help="Only the hold of this model.")
@dry_run_option
@session_options
def end_hold(session: Session, provider: str, model: str | None, dry_run: bool) -> None:
    """End what is on hold there: who waits goes at once, without a probe."""
    with session.office(dry_run=dry_run) as desk:
        rows = desk.end_hold(provider, model)
    show_rows(
        [dict(row) for row in rows],
        ["ended_provider", "ended_model", "was_until"],
        layout=session.layout,
        empty="Nothing was on hold.",
    )


@command.command()
@click.argument("provider", callback=not_empty)
@click.argument("most", type=int, required=False)
@click.option("--none", "no_limit", is_flag=True, help="Take the limit away.")
@dry_run_option
@session_options
def limit(session: Session, provider: str, most: int | None, no_limit: bool, dry_run: bool) -> None:
    """Let at most so many requests go there at once, in all workspaces."""
    if no_limit == (most is not None):
        raise click.UsageError("Either a number, or --none.")
    with session.office(dry_run=dry_run) as desk:
        row = desk.set_provider_limit(provider, most)
    show_record(dict(row), layout=session.layout)
