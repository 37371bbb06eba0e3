-- office_internal.open_periods: the row of each of these budgets' present period, made where there is none yet: what the ledger has of it
-- by now is spent (B1). The caller holds the gates.
create or replace function office_internal.open_periods(budget_ids uuid[], at timestamptz)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.open_period(b.id, office_internal.period_start(b.period, open_periods.at))
  from office.budgets as b
  where b.id = any(budget_ids)
    and not exists (
      select
      from office.budget_periods as p
      where p.budget_id = b.id and p.period_start = office_internal.period_start(b.period, open_periods.at)
    );
end
$$;

comment on function office_internal.open_periods(uuid[], timestamptz) is 'Makes the rows of budgets'' present periods.';

-- office_internal.open_period: the same of one budget and period, whichever.
create or replace function office_internal.open_period(budget_id uuid, start date)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office.budget_periods (budget_id, period_start, workspace_id, spent_cents, unknown_events)
  select b.id, open_period.start, b.workspace_id, coalesce(sum(u.cost_cents), 0), count(u.id) - count(u.cost_cents)
  from office.budgets as b
  left join office.usage_events as u
    on u.workspace_id = b.workspace_id
    and u.at >= open_period.start::timestamp at time zone 'UTC'
    and u.at < coalesce(office_internal.period_end(b.period, open_period.start), 'infinity')
    and office_internal.counts_in(b, u.agent_id, u.project_id, u.account)
  where b.id = open_period.budget_id
  group by b.id;
end
$$;

comment on function office_internal.open_period(uuid, date) is 'Makes the row of a budget''s period, from the ledger.';
