-- office_internal.settle_interrupted: does what was answered about interrupted runs: tries them again or drops them (P3, P4). Those that
-- are not interrupted any more are left alone. The caller holds the gates.
create or replace function office_internal.settle_interrupted(decision_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.runs as r
  set status = 'cancelled', cancel_reason = 'dropped'
  from office.decisions as d
  where d.id = any(decision_ids) and d.choice = 'drop' and r.id = d.run_id and r.status is not distinct from 'interrupted';
  perform office_internal.try_again(array_agg(d.run_id), d.decided_by_account_id)
  from office.decisions as d
  where d.id = any(decision_ids) and d.choice = 'retry'
  group by d.decided_by_account_id;
end
$$;

comment on function office_internal.settle_interrupted(uuid[]) is 'Retries or drops interrupted runs, as was answered.';
