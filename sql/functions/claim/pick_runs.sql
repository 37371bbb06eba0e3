-- office_internal.pick_runs: the first claimable runs of a workspace, in order, within each agent's room. Reads the ready lanes
-- and the heads of their queues, whatever waits behind (Q14): every run among the first n is of a lane among the first n.
create or replace function office_internal.pick_runs(workspace_id uuid, max_runs integer)
returns uuid[]
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select coalesce(array_agg(p.id order by p.requested_at, p.id), '{}')
    from (
      select q.id, q.requested_at
      from (
        select l.agent_id, l.capacity - l.active as room
        from office_internal.lanes as l
        where l.workspace_id = pick_runs.workspace_id
          and l.head_at is not null and l.cooling_until is null and l.open and l.active < l.capacity
        order by l.head_at, l.head_run_id
        limit pick_runs.max_runs
      ) as l
      cross join lateral (
        select r.id, r.requested_at
        from office.runs as r
        where r.agent_id = l.agent_id and r.status = 'queued' and r.parked is null and r.answered_at is null
        order by r.requested_at, r.id
        limit least(l.room, pick_runs.max_runs)
      ) as q
      order by q.requested_at, q.id
      limit pick_runs.max_runs
    ) as p
  );
end
$$;

comment on function office_internal.pick_runs(uuid, integer) is 'The first claimable runs of a workspace.';
