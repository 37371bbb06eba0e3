"""`officectl budget`: what may be spent, and what is."""

from decimal import Decimal, InvalidOperation

import click

from officectl.cli.session import Session, dry_run_option, not_empty, session_options
from officectl.render import show_record, show_rows

QUERY = """
select b.scope || ':' || w.name || coalesce('/' || p.name, '/' || a.name, '') as budget, b.account, b.period,
  trim_scale(b.limit_cents) as limit_cents, trim_scale(coalesce(s.spent_cents, 0)) as spent_cents,
  trim_scale(coalesce(v.reserved, 0)) as reserved_cents,
  trim_scale(b.limit_cents - coalesce(s.spent_cents, 0) - coalesce(v.reserved, 0)) as left_cents,
  case when s.over then 'spent' when s.alerted_at is not null then 'nearly spent' else 'open' end
  as state,
  b.action_on_exceed as action, b.alert_percent, b.stop_running,
  trim_scale(b.run_estimate_cents) as run_estimate_cents,
  coalesce(s.unknown_events, 0) as unknown_events, b.set_at
from office.budgets b
join office.workspaces w on w.id = b.workspace_id
left join office.projects p on p.id = b.project_id
left join office.agents a on a.id = b.agent_id
left join office.budget_periods s on s.budget_id = b.id and s.period_start =
  case
    when b.period = 'total' then '1970-01-01'
    else date_trunc(b.period, office.now() at time zone 'UTC')::date
  end
left join lateral (
  select sum(r.amount_cents) as reserved
  from office.budget_reservations r
  where r.budget_id = b.id and r.period_start = s.period_start
) v on true
where b.removed_at is null
order by w.name, b.scope = 'agent', b.scope = 'project', coalesce(p.name, a.name), b.account, b.period
"""

PERIODS = click.Choice(["day", "month", "year", "total"])
ACCOUNTS = click.Choice(["included", "personal"])


def cents_of(value: str) -> Decimal:
    """An amount of cents, exact."""
    try:
        return Decimal(value)
    except InvalidOperation:
        raise click.BadParameter(f"{value!r} is not an amount of cents.") from None


period_option = click.option("--period", type=PERIODS, help="UTC; month unless said.")
account_option = click.option(
    "--account", type=ACCOUNTS, help="Whose spending: included unless said; personal is counted apart."
)


@click.group("budget")
def command() -> None:
    """Budgets of workspaces, projects and agents, in cents."""


@command.command("list")
@session_options
def list_(session: Session) -> None:
    """Every budget, with what is spent and reserved in its present period."""
    with session.office() as desk:
        rows = desk.execute(QUERY)
    show_rows(
        rows,
        ["budget", "period", "limit_cents", "spent_cents", "reserved_cents", "left_cents", "state", "action"],
        wide=["account", "alert_percent", "stop_running", "run_estimate_cents", "unknown_events", "set_at"],
        layout=session.layout,
        empty="There is no budget: officectl budget set agent:NAME CENTS",
    )


@command.command("set")
@click.argument("ref", callback=not_empty)
@click.argument("cents", type=cents_of)
@period_option
@account_option
@click.option(
    "--action",
    type=click.Choice(["notify", "pause_agent", "block_new_tasks"]),
    help="When it is spent: tell, pause the agents (unless said), or end new runs.",
)
@click.option(
    "--alert", type=int, metavar="PERCENT", help="When to tell that it is nearly spent; 80 unless said."
)
@click.option(
    "--stop-running/--let-running-go-on", default=None, help="End a run at the usage that passes it."
)
@click.option(
    "--estimate", type=cents_of, metavar="CENTS", help="What a run is expected to cost until that is known."
)
@dry_run_option
@session_options
def set_(
    session: Session,
    ref: str,
    cents: Decimal,
    period: str | None,
    account: str | None,
    action: str | None,
    alert: int | None,
    stop_running: bool | None,
    estimate: Decimal | None,
    dry_run: bool,
) -> None:
    """Let workspace:NAME, project:WORKSPACE/NAME or an agent spend so many CENTS a period."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.set_budget(ref, cents, period, action, alert, stop_running, estimate, account)
    show_record(dict(row), layout=session.layout)


@command.command("remove")
@click.argument("ref", callback=not_empty)
@period_option
@account_option
@dry_run_option
@session_options
def remove(session: Session, ref: str, period: str | None, account: str | None, dry_run: bool) -> None:
    """Remove a budget: whom it has paused is let go."""
    with session.office(dry_run=dry_run) as desk:
        row = desk.set_budget(ref, None, period, account=account)
    show_record(dict(row), layout=session.layout)
