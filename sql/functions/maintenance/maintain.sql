-- office.maintain: the office's own work of this moment, piece by piece; each knows whether it is due, so call it as often as you
-- like, from any process. Answers what each piece did. Takes gates, each piece its own.
create or replace function office.maintain()
returns table (piece text, done integer)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return query select 'leases', office_internal.sweep_leases();
  return query select 'recovery', office_internal.recover_tasks();
  return query select 'retries', office_internal.settle_retries();
  return query select 'holds', office_internal.settle_holds();
  return query select 'decisions', office_internal.expire_decisions();
  return query select 'budgets', office_internal.settle_budgets();
  return query select 'housekeeping', office_internal.purge_daily();
end
$$;

comment on function office.maintain() is 'Does the office''s own due work; call it every few seconds.';
