-- office_internal.try_again: queues an interrupted, failed or blocked run again, as an account wishes (P4); nothing when it is none.
-- The caller holds the gate.
create or replace function office_internal.try_again(run_id uuid, account_id uuid)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run office.runs;
begin
  update office.runs as r
  set status = 'queued'
  where r.id = try_again.run_id and r.status in ('interrupted', 'failed', 'blocked')
  returning r.* into v_run;
  if v_run.id is null then
    return false;
  end if;
  perform office_internal.remember(
    v_run.workspace_id, 'run_retried', '{}', try_again.account_id, v_run.agent_id, v_run.task_id, v_run.id
  );
  perform office_internal.settle_queued(array[v_run.id]);
  perform office_internal.park_runs(array[v_run.id]);
  perform office_internal.leave_signal(v_run.workspace_id, 'look');
  return true;
end
$$;

comment on function office_internal.try_again(uuid, uuid) is 'Queues a run again that failed, is blocked or was interrupted.';
