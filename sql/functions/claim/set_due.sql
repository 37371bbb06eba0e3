-- office_internal.set_due: writes on the gate when time next frees something there. The caller holds the gate.
create or replace function office_internal.set_due(workspace_id uuid)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office_internal.gates as g
  set due_at = d.due_at
  from (
    select least(
      (select min(l.cooling_until) from office_internal.lanes as l
        where l.workspace_id = set_due.workspace_id and l.cooling_until is not null and l.head_at is not null),
      (select min(r.due_at) from office.runs as r
        where r.workspace_id = set_due.workspace_id and r.status = 'queued' and r.due_at is not null),
      office_internal.extra_run_due(set_due.workspace_id)
    ) as due_at
  ) as d
  where g.workspace_id = set_due.workspace_id and g.due_at is distinct from d.due_at;
end
$$;

comment on function office_internal.set_due(uuid) is 'Notes on a gate when to look again.';
