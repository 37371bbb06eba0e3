-- office_internal.failed_fire: a fire that could not be made, or not be stored, as the routine run that says why (R9, R12); still to be
-- stored.
create or replace function office_internal.failed_fire(run office.routine_runs, problem text)
returns office_internal.fire
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run office.routine_runs;
begin
  v_run.id := office.uuid7();
  v_run.workspace_id := (run).workspace_id;
  v_run.routine_id := (run).routine_id;
  v_run.trigger_id := (run).trigger_id;
  v_run.source := (run).source;
  v_run.slot := (run).slot;
  v_run.status := 'failed';
  v_run.trigger_payload := '{}';
  v_run.error := office_internal.one_line(problem);
  v_run.fired_at := (run).fired_at;
  v_run.ended_at := (run).fired_at;
  return row(v_run, null, null)::office_internal.fire;
end
$$;

comment on function office_internal.failed_fire(office.routine_runs, text) is 'A fire that failed.';
