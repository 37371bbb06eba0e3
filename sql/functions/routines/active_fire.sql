-- office_internal.active_fire: the routine run of the same fingerprint that is not over (R14): its task is open, or its run has not ended,
-- or its wakeup waits for the dispatch. Read from tasks, runs and wakeups themselves, so that nothing is stuck behind what is over.
create or replace function office_internal.active_fire(routine_id uuid, fingerprint bytea)
returns office.routine_runs
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_active office.routine_runs;
begin
  select f.* into v_active
  from office.routine_runs as f
  where f.routine_id = active_fire.routine_id and f.dispatch_fingerprint = active_fire.fingerprint
    and f.status in ('received', 'task_created')
    and (
      exists (select from office.tasks as t where t.id = f.linked_task_id and not office_internal.is_closed(t))
      or exists (select from office.runs as r where f.linked_task_id is null and r.id = f.linked_run_id and r.ended_at is null)
      or exists (select from office.wakeups as w where w.id = f.wakeup_id and w.status = 'queued')
    )
  order by f.fired_at, f.id
  limit 1;
  return v_active;
end
$$;

comment on function office_internal.active_fire(uuid, bytea) is 'The fire of a routine that is not over.';
