-- office_internal.follow_agents: makes lanes say what their agents' rows say, and what they will say once a pause that the office has
-- set has reached them (A6). That a capacity changed, that no run of an agent is claimed any more or is again, is activity (K9, I9).
-- The caller holds the gates.
create or replace function office_internal.follow_agents(agent_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if coalesce(cardinality(agent_ids), 0) = 0 then
    return;
  end if;
  perform office_internal.reopen_lanes(agent_ids);
  insert into office.activity (workspace_id, at, kind, agent_id, detail)
  select l.workspace_id, office_internal.wall_clock(), c.kind, l.agent_id, c.detail
  from office_internal.lanes as l
  join office.agents as a on a.id = l.agent_id
  cross join lateral (
    select
      a.status = 'active' and a.deleted_at is null
        and not exists (select from office_internal.changes as c where c.agent_id = a.id and c.kind = 'pause_agent') as open
  ) as n
  cross join lateral (
    values
      (
        l.capacity <> a.max_concurrent_sessions, 'limit_changed',
        jsonb_build_object('limit', 'max_concurrent_sessions', 'from', l.capacity, 'to', a.max_concurrent_sessions)
      ),
      (l.open and not n.open, 'agent_held', jsonb_build_object('status', a.status, 'reason', a.status_reason)),
      (n.open and not l.open, 'agent_let_go', '{}')
  ) as c (is_so, kind, detail)
  where l.agent_id = any(agent_ids) and c.is_so;
  insert into office_internal.lanes as l (agent_id, workspace_id, open, capacity, cooldown_sec)
  select
    a.id, a.workspace_id,
    a.status = 'active' and a.deleted_at is null
      and not exists (select from office_internal.changes as c where c.agent_id = a.id and c.kind = 'pause_agent'),
    a.max_concurrent_sessions, a.cooldown_sec
  from office.agents as a
  where a.id = any(agent_ids)
  order by a.id
  on conflict (agent_id) do update
  set open = excluded.open,
    capacity = excluded.capacity,
    excess = greatest(l.active - excluded.capacity, 0),
    cooldown_sec = excluded.cooldown_sec,
    cooling_until = case
      -- One that is over by then is taken off by the next claim.
      when l.cooldown_sec is distinct from excluded.cooldown_sec
        then l.last_wakeup_finished_at + make_interval(secs => excluded.cooldown_sec)
      else l.cooling_until
    end;
end
$$;

comment on function office_internal.follow_agents(uuid[]) is 'Brings the lanes of these agents up to date.';
