-- office_internal.count_active: the active runs of a workspace, or of one agent there: claimed, running, waiting, stopping, and
-- answered ones that are queued to go on. What slots and capacities count (S1, Q12).
create or replace function office_internal.count_active(workspace_id uuid, agent_id uuid default null)
returns integer
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select count(*)
    from office.runs as r
    where r.workspace_id = count_active.workspace_id
      and (r.status in ('claimed', 'running', 'waiting', 'stopping') or (r.status = 'queued' and r.answered_at is not null))
      and (count_active.agent_id is null or r.agent_id = count_active.agent_id)
  );
end
$$;

comment on function office_internal.count_active(uuid, uuid) is 'How many runs of a workspace, or of one agent there, are active.';
