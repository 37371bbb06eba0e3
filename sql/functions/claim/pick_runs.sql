-- office_internal.pick_runs: the first claimable runs of these workspaces, in order, within each workspace's free slots and each
-- agent's room. Reads the ready lanes and the heads of their queues, whatever waits behind (Q14): every run among the first n is of a
-- lane among the first n. The caller holds the gates.
create or replace function office_internal.pick_runs(workspace_ids uuid[])
returns uuid[]
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select coalesce(array_agg(p.id order by p.requested_at, p.id), '{}')
    from (
      select f.workspace_id, f.free as room
      from office_internal.free_slots(workspace_ids) as f
      where f.free > 0 and not (select p.paused from office_internal.gates as p where p.workspace_id = f.workspace_id)
    ) as g
    cross join lateral (
      select q.id, q.requested_at
      from (
        select l.agent_id, l.capacity - l.active as room
        from office_internal.lanes as l
        where l.workspace_id = g.workspace_id
          and l.head_at is not null and l.cooling_until is null and l.open and l.active < l.capacity
        order by l.head_at, l.head_run_id
        limit g.room
      ) as l
      cross join lateral (
        select r.id, r.requested_at
        from office.runs as r
        where r.agent_id = l.agent_id and r.status = 'queued' and r.parked is null and r.answered_at is null
        order by r.requested_at, r.id
        limit least(l.room, g.room)
      ) as q
      order by q.requested_at, q.id
      limit g.room
    ) as p
  );
end
$$;

comment on function office_internal.pick_runs(uuid[]) is 'The first claimable runs of workspaces that have room.';
