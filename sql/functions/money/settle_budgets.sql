-- office_internal.settle_budgets: what time does to budgets (J1, B1): where a period is over whose budget has paused somebody, the new one
-- lets them go; two days after its end a period's reservations are released for good, and it is settled. The ledger stays. Answers how
-- many workspaces and periods were concerned. Takes the gates concerned.
create or replace function office_internal.settle_budgets()
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_turned uuid[];
  v_settled integer;
  v_periods office.budget_periods[];
begin
  if not exists (select from office.budgets) then
    return 0;
  end if;
  v_turned := array(
    select distinct p.workspace_id
    from office_internal.budget_pauses as p
    join office.budgets as b on b.id = p.budget_id
    where p.period_start <> office_internal.period_start(b.period, v_now)
  );
  v_periods := array(
    select p
    from office.budget_periods as p
    join office.budgets as b on b.id = p.budget_id
    where p.settled_at is null and p.period_start < (v_now - interval '2 days')::date
      and office_internal.period_end(b.period, p.period_start) < v_now - interval '2 days'
  );
  if cardinality(v_turned) + cardinality(v_periods) = 0 then
    return 0;
  end if;
  perform office_internal.take_gates(v_turned || array(select p.workspace_id from unnest(v_periods) as p));
  perform office_internal.follow_budgets(v_turned);
  delete from office.budget_reservations as v
  using unnest(v_periods) as p
  where v.budget_id = p.budget_id and v.period_start = p.period_start;
  update office.budget_periods as o
  set settled_at = v_now
  from unnest(v_periods) as p
  where o.budget_id = p.budget_id and o.period_start = p.period_start and o.settled_at is null;
  get diagnostics v_settled = row_count;
  return v_settled + cardinality(v_turned);
end
$$;

comment on function office_internal.settle_budgets() is 'Turns and settles budgets'' periods.';
