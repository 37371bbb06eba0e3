-- office.create_task: a task, woken for at once when it is assigned and nothing blocks it (T1, T6).
-- Refuses an empty or over-long title, unknown references (not_found), states that a new task cannot have (invalid),
-- an assignee for whom nothing could be launched (no_executor). Takes no gate: the dispatch decides whom it wakes.
create or replace function office.create_task(
  title text,
  description text default '',
  assignee text default null,
  project text default null,
  parent text default null,
  blocked_by text[] default '{}',
  priority text default 'medium',
  state text default 'todo',
  requires_approval boolean default false,
  executor jsonb default null,
  workspace text default null,
  complexity text default null
)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
  v_workspace uuid;
  v_parent uuid;
  v_task uuid;
  v_constraint text;
  v_column text;
begin
  perform office_internal.caller();
  select * into v_me from office_internal.identity();
  v_parent := case
    when parent is not null then office_internal.task_to_change(parent)
    when v_me.agent_id is not null then (
      select r.task_id from office.attempts as a join office.runs as r on r.id = a.run_id where a.id = v_me.attempt_id
    )
  end;
  v_workspace := case
    when workspace is null and v_parent is not null then (select t.workspace_id from office.tasks as t where t.id = v_parent)
    when workspace is null and position('/' in coalesce(assignee, '')) > 0
      then office_internal.find_workspace(split_part(assignee, '/', 1))
    else office_internal.find_workspace(workspace)
  end;
  insert into office.tasks (
    workspace_id, project_id, parent_id, workflow_id, title, description, state, priority, assignee_agent_id,
    requires_approval, executor, created_by_account_id, created_by_agent_id, complexity, complexity_set_by
  )
  select
    v_workspace, case when project is not null then office_internal.find_project(project, v_workspace) end, v_parent,
    w.office_workflow_id, create_task.title, coalesce(create_task.description, ''), create_task.state, create_task.priority,
    case when assignee is not null then office_internal.find_agent(assignee, v_workspace) end,
    coalesce(create_task.requires_approval, false), create_task.executor, v_me.account_id, v_me.agent_id,
    create_task.complexity,
    case when create_task.complexity is not null then case when v_me.agent_id is null then 'person' else 'system' end end
  from office.workspaces as w
  where w.id = v_workspace
  returning id into v_task;
  insert into office.task_blockers (workspace_id, task_id, blocker_task_id)
  select v_workspace, v_task, office_internal.find_task(b.ref) from unnest(blocked_by) as b (ref)
  on conflict do nothing;
  return office_internal.task_card(v_task);
exception when check_violation or not_null_violation or foreign_key_violation then
  get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
  perform office_internal.refuse_value('tasks', v_constraint, v_column);
  return null;
end
$$;

comment on function office.create_task(text, text, text, text, text, text[], text, text, boolean, jsonb, text, text)
is 'Makes a task; with an assignee that agent is woken.';
