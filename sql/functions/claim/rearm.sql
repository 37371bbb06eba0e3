-- office_internal.rearm: what time has freed by now: lanes that have cooled down, parked runs that are due (A15).
-- The caller holds the gate.
create or replace function office_internal.rearm(workspace_id uuid, at timestamptz)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_due uuid[];
begin
  update office_internal.lanes as l
  set cooling_until = null
  where l.workspace_id = rearm.workspace_id and l.cooling_until <= rearm.at;
  v_due := array(
    select r.id from office.runs as r
    where r.workspace_id = rearm.workspace_id and r.status = 'queued' and r.due_at <= rearm.at
    order by r.due_at  -- runs_due is in this order, so that no other index of queued runs is walked instead
  );
  perform office_internal.settle_queued(v_due);
  perform office_internal.park_runs(v_due);
  perform office_internal.unpark_for_providers(rearm.workspace_id, rearm.at);
end
$$;

comment on function office_internal.rearm(uuid, timestamptz) is 'Frees lanes and runs whose time has come.';
