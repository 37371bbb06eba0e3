-- office_internal.stop_these: a person stops these runs (P2): live ones are asked to stop, queued ones end at once; with activity.
-- The caller holds the gates.
create or replace function office_internal.stop_these(run_ids uuid[], reason text, account_id uuid)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.stop_live(run_ids, 'stopped');
  perform office_internal.end_stopped(array(
    select r.id from office.runs as r where r.id = any(run_ids) and r.status is not distinct from 'queued'
  ));
  perform office_internal.remember(
    r.workspace_id, 'run_stopped', jsonb_strip_nulls(jsonb_build_object('reason', stop_these.reason)), stop_these.account_id,
    r.agent_id, r.task_id, r.id, r.attempt_id
  )
  from office.runs as r
  where r.id = any(run_ids);
end
$$;

comment on function office_internal.stop_these(uuid[], text, uuid) is 'Stops runs, live and queued, for a person.';
