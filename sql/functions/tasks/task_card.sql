-- office_internal.task_card: a task as functions answer about it.
create or replace function office_internal.task_card(task_id uuid)
returns office.task_reference
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select (t.id, 't' || t.number, t.state, a.name, w.name)::office.task_reference
  from office.tasks as t
  join office.workspaces as w on w.id = t.workspace_id
  left join office.agents as a on a.id = t.assignee_agent_id
  where t.id = task_card.task_id
$$;

comment on function office_internal.task_card(uuid) is 'A task, by number, state, assignee and workspace.';
