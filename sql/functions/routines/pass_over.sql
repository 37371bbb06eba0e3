-- office_internal.pass_over: what fell due of these routines while they were not active is not caught up, whether a tick has seen it or
-- not: a schedule goes on with the next slot, a single time is over (R2). Writes triggers' rows only; takes no gate.
create or replace function office_internal.pass_over(routine_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  update office.routine_triggers as t
  set next_run_at = office_internal.next_fire(t.cron, t.timezone, v_now)
  where t.routine_id = any(routine_ids) and t.kind = 'schedule' and t.next_run_at <= v_now;
  update office.routine_triggers as t
  set enabled = false
  where t.routine_id = any(routine_ids) and t.kind = 'once' and t.next_run_at <= v_now;
end
$$;

comment on function office_internal.pass_over(uuid[]) is 'Passes over what fell due of routines that were not active.';
