-- office_internal.pick_answered: the answered runs of these workspaces that may go on, in order (S3): those whose agent or task is no
-- longer so are settled there and then; those of paused agents and workspaces wait. One waits too until its last launch is cleaned up
-- after, by its launcher or by another worker that lives on that host: two programs of one attempt never run at once.
-- The caller holds the gates.
create or replace function office_internal.pick_answered(workspace_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_answered uuid[] := array(
    select r.id
    from unnest(workspace_ids) as g (id)
    cross join lateral (
      select a.id
      from office.runs as a
      where a.workspace_id = g.id and a.status = 'queued' and a.answered_at is not null
      order by a.requested_at, a.id  -- runs_answered is in this order, so that no other index of queued runs is walked instead
    ) as r
  );
begin
  if cardinality(v_answered) = 0 then
    return v_answered;
  end if;
  perform office_internal.settle_queued(v_answered);
  return array(
    select r.id
    from office.runs as r
    join office.agents as a on a.id = r.agent_id and a.status = 'active' and a.deleted_at is null
    join office_internal.gates as g on g.workspace_id = r.workspace_id and not g.paused
    where r.id = any(v_answered) and r.status is not distinct from 'queued'
      and not exists (select from office_internal.gates as o where o.paused_with_all)
      and office_internal.is_cleaned_up(r.attempt_id)
    order by r.requested_at, r.id
  );
end
$$;

comment on function office_internal.pick_answered(uuid[]) is 'The answered runs of workspaces that may go on.';
