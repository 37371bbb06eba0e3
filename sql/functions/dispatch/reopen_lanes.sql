-- office_internal.reopen_lanes: whom a person has resumed begins anew: what its agent's runs gave up is forgotten, and the inbox item of an
-- automatic pause is closed (Q23). Of agents whose lane is closed and whose row is active, with no pause on its way there. The
-- caller holds the gate.
create or replace function office_internal.reopen_lanes(agent_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  with resumed as (
    update office_internal.lanes as l
    set gave_up = 0
    from office.agents as a
    where l.agent_id = any(agent_ids) and not l.open and a.id = l.agent_id and a.status = 'active'
      and not exists (select from office_internal.changes as c where c.agent_id = a.id and c.kind = 'pause_agent')
    returning a.id, a.workspace_id
  )
  update office.inbox_items as i
  set closed_at = office.now()
  from resumed
  where i.workspace_id = resumed.workspace_id and i.dedup_key = format('agent.paused:%s', resumed.id) and i.closed_at is null;
end
$$;

comment on function office_internal.reopen_lanes(uuid[]) is 'Forgets the failures of agents that were resumed.';
