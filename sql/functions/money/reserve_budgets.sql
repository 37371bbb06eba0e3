-- office_internal.reserve_budgets: holds of each budget what these new attempts are expected to spend (B2). The caller holds the gates.
create or replace function office_internal.reserve_budgets(attempt_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office.budget_reservations (attempt_id, budget_id, workspace_id, period_start, amount_cents)
  select a.id, b.id, a.workspace_id, office_internal.period_start(b.period, office_internal.wall_clock()), e.expected
  from office.attempts as a
  cross join lateral office_internal.run_budgets(a.run_id) as e
  join office.budgets as b on b.id = e.budget_id
  where a.id = any(attempt_ids);
end
$$;

comment on function office_internal.reserve_budgets(uuid[]) is 'Reserves what attempts are expected to spend.';

-- office_internal.release_reservations: what these attempts have still reserved is free again. The caller holds the gates.
create or replace function office_internal.release_reservations(attempt_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  -- Most have reserved nothing: a statement that deletes nothing would fire its triggers.
  if exists (select from office.budget_reservations as v where v.attempt_id = any(attempt_ids)) then
    delete from office.budget_reservations as v where v.attempt_id = any(attempt_ids);
  end if;
end
$$;

comment on function office_internal.release_reservations(uuid[]) is 'Frees what attempts have reserved.';
