-- office_internal.rearm: what time has freed by now: lanes that have cooled down, parked runs that are due (A15).
-- The caller holds the gates.
create or replace function office_internal.rearm(workspace_ids uuid[], at timestamptz)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_due uuid[];
begin
  update office_internal.lanes as l
  set cooling_until = null
  where l.workspace_id = any(workspace_ids) and l.cooling_until <= rearm.at;
  v_due := array(
    select r.id
    from unnest(workspace_ids) as g (id)
    cross join lateral (
      select d.id
      from office.runs as d
      where d.workspace_id = g.id and d.status = 'queued' and d.due_at <= rearm.at
      order by d.due_at  -- runs_due is in this order, so that no other index of queued runs is walked instead
    ) as r
  );
  perform office_internal.settle_queued(v_due);
  perform office_internal.park_runs(v_due);
  perform office_internal.unpark_for_budgets(g.id, rearm.at)
  from unnest(workspace_ids) as g (id)
  where exists (
    select
    from office.runs as r
    where r.workspace_id = g.id and r.status = 'queued' and r.parked = 'budget' and r.parked_budget_id is not null
  );
  perform office_internal.unpark_for_providers(g.id, rearm.at)
  from unnest(workspace_ids) as g (id)
  where (
    select r.executor_id
    from office.runs as r
    where r.workspace_id = g.id and r.status = 'queued' and r.parked = 'provider'
    order by r.executor_id
    limit 1
  ) is not null;
end
$$;

comment on function office_internal.rearm(uuid[], timestamptz) is 'Frees lanes and runs whose time has come.';
