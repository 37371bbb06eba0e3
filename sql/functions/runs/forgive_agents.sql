-- office_internal.forgive_agents: a success ends the row of runs that gave up (Q23). The caller holds the gates.
create or replace function office_internal.forgive_agents(over_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office_internal.lanes as l
  set gave_up = 0
  from office.runs as r
  where r.id = any(over_run_ids) and r.outcome is not distinct from 'succeeded' and l.agent_id = r.agent_id and l.gave_up > 0;
end
$$;

comment on function office_internal.forgive_agents(uuid[]) is 'A success ends the row of runs that gave up.';
