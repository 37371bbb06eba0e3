-- office_internal.read_filter: what retry_runs and stop_runs are asked to choose runs by, as ids (I2).
-- Refuses no filter at all (missing): everything at once is a word of its own; unknown names (not_found).
create or replace function office_internal.read_filter(
  agent text,
  workspace text,
  task text,
  status text,
  since timestamptz,
  allowed text[],
  out agent_id uuid,
  out task_id uuid,
  out workspace_ids uuid[],
  out statuses text[]
)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_workspace uuid;
begin
  if num_nonnulls(agent, workspace, task, status, since) = 0 then
    perform office_internal.refuse(
      'missing', 'Say which runs: by agent, workspace, task, status or since.', 'Such as agent => ''builder''.',
      jsonb_build_object('field', 'agent')
    );
  end if;
  if status <> all(allowed) then
    perform office_internal.refuse(
      'invalid', format('No such run has the status "%s".', status), format('One of: %s.', array_to_string(allowed, ', ')),
      jsonb_build_object('field', 'status', 'given', status)
    );
  end if;
  statuses := case when status is null then allowed else array[status] end;
  if workspace is not null then
    v_workspace := office_internal.find_workspace(workspace);
  end if;
  if agent is not null then
    agent_id := office_internal.find_agent(agent, v_workspace);
  end if;
  if task is not null then
    task_id := office_internal.find_task(task);
  end if;
  workspace_ids := case
    when v_workspace is not null then array[v_workspace]
    else array(
      select a.workspace_id from office.agents as a where a.id = read_filter.agent_id
      union
      select t.workspace_id from office.tasks as t where t.id = read_filter.task_id
      union
      select v.id from office.visible_workspaces() as v (id) where num_nonnulls(read_filter.agent_id, read_filter.task_id) = 0
    )
  end;
end
$$;

comment on function office_internal.read_filter(text, text, text, text, timestamptz, text[]) is 'What runs are chosen by, as ids.';
