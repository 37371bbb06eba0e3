-- office.assign_task: gives a task to an agent, or to nobody (null) (T6). Refuses unknown ones (not_found), another run's
-- task (forbidden), an agent for whom nothing could be launched (no_executor). Takes no gate.
create or replace function office.assign_task(task text, assignee text)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.task_to_change(task);
begin
  update office.tasks as t
  set assignee_agent_id = case when assignee is not null then office_internal.find_agent(assignee, t.workspace_id) end
  where t.id = v_task;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.assign_task(text, text) is 'Assigns a task to an agent; null takes it away.';
