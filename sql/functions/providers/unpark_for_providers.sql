-- office_internal.unpark_for_providers: calls back the first runs of a workspace that waited for their provider accounts and would be
-- admitted now: as many as the workspace has free slots, of agents that have room, in order; the claim picks among them and asks
-- the accounts once more. The others stay parked, whatever their number; where an account is on hold until a time, one of
-- those who wait for it carries that time (Q14, Q25). The caller holds the gate.
create or replace function office_internal.unpark_for_providers(workspace_id uuid, at timestamptz)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_executors uuid[];
  v_executor uuid;
  v_run record;
  v_room integer;
  v_found integer;
  v_agents uuid[];
  v_runs uuid[] := array[]::uuid[];
begin
  -- Those who wait here, one probe of the index each.
  with recursive waiting (id) as (
    (
      select r.executor_id
      from office.runs as r
      where r.workspace_id = unpark_for_providers.workspace_id and r.status = 'queued' and r.parked = 'provider'
      order by r.executor_id
      limit 1
    )
    union all
    select n.executor_id
    from waiting
    cross join lateral (
      select r.executor_id
      from office.runs as r
      where r.workspace_id = unpark_for_providers.workspace_id and r.status = 'queued' and r.parked = 'provider'
        and r.executor_id > waiting.id
      order by r.executor_id
      limit 1
    ) as n
  )
  select array_agg(waiting.id) into v_executors from waiting;
  update office.runs as r
  set due_at = f.until, parked_detail = f.detail
  from office_internal.provider_refusals(v_executors, unpark_for_providers.at) as f
  cross join lateral (
    select o.id
    from office.runs as o
    where o.workspace_id = unpark_for_providers.workspace_id and o.executor_id = f.executor_id
      and o.status = 'queued' and o.parked = 'provider'
    order by o.requested_at, o.id
    limit 1
  ) as n
  where r.id = n.id and f.until is not null and r.due_at is distinct from f.until;
  select f.free
  into v_room
  from office_internal.gates as g
  cross join office_internal.free_slots(array[g.workspace_id]) as f
  where g.workspace_id = unpark_for_providers.workspace_id and not g.paused;
  if coalesce(v_room, 0) <= 0 then
    return;
  end if;
  foreach v_executor in array v_executors loop
    continue when exists (select from office_internal.provider_refusals(array[v_executor], unpark_for_providers.at));
    v_found := 0;
    v_agents := array[]::uuid[];
    -- Read only as far as there is room: what one agent has queued must not hide another's.
    for v_run in
      select r.id, r.agent_id, l.capacity - l.active as room
      from office.runs as r
      join office_internal.lanes as l on l.agent_id = r.agent_id
      where r.workspace_id = unpark_for_providers.workspace_id and r.executor_id = v_executor
        and r.status = 'queued' and r.parked = 'provider'
        and l.open and l.cooling_until is null and l.active < l.capacity
      order by r.requested_at, r.id
    loop
      continue when cardinality(array_positions(v_agents, v_run.agent_id)) >= v_run.room;
      v_agents := v_agents || v_run.agent_id;
      v_runs := v_runs || v_run.id;
      v_found := v_found + 1;
      exit when v_found = v_room;
    end loop;
  end loop;
  update office.runs as r
  set parked = null, due_at = null, parked_detail = null
  from (
    select f.id from office.runs as f where f.id = any(v_runs) order by f.requested_at, f.id limit v_room
  ) as n
  where r.id = n.id;
end
$$;

comment on function office_internal.unpark_for_providers(uuid, timestamptz) is 'Calls back runs whose provider admits them again.';
