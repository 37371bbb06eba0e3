-- office_internal.follow_runs: makes the lanes of these agents say what their runs say: how many are active, which is the first
-- that can be claimed. The caller holds the gate.
create or replace function office_internal.follow_runs(agent_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if cardinality(agent_ids) = 0 then
    return;
  end if;
  update office_internal.lanes as l
  set active = office_internal.count_active(l.workspace_id, l.agent_id),
    excess = case
      when l.excess > 0 then least(l.excess, greatest(office_internal.count_active(l.workspace_id, l.agent_id) - l.capacity, 0))
      else 0
    end,
    (head_at, head_run_id) = (
      select r.requested_at, r.id
      from office.runs as r
      where r.agent_id = l.agent_id and r.status = 'queued' and r.parked is null and r.answered_at is null
      order by r.requested_at, r.id
      limit 1
    )
  where l.agent_id = any(agent_ids);
end
$$;

comment on function office_internal.follow_runs(uuid[]) is 'Brings the lanes of these agents up to date with their runs.';
