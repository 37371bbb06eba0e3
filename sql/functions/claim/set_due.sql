-- office_internal.set_due: notes on these workspaces' gates when time next frees something there: a lane that has a run to claim cools
-- down, or a parked run is due. The caller holds the gates.
create or replace function office_internal.set_due(workspace_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office_internal.gates as g
  set due_at = d.due_at
  from unnest(workspace_ids) as w (id)
  cross join lateral (
    select least(
      (select min(l.cooling_until) from office_internal.lanes as l
        where l.workspace_id = w.id and l.cooling_until is not null and l.head_at is not null),
      (select min(r.due_at) from office.runs as r
          where r.workspace_id = w.id and r.status = 'queued' and r.due_at is not null),
      office_internal.extra_run_due(w.id)
    ) as due_at
  ) as d
  where g.workspace_id = w.id and g.due_at is distinct from d.due_at;
end
$$;

comment on function office_internal.set_due(uuid[]) is 'Says when time next frees something in workspaces.';
