-- office_internal.usual_executor: what an agent's run launches: the task's executor where a task is given and names one, else the
-- agent's own, its profile's while that is enabled, the project's, the workspace's (Q13.8). One row; null: there is none.
-- A table function of one statement, so that it becomes part of the query that asks.
create or replace function office_internal.usual_executor(agent_id uuid, task_id uuid default null)
returns table (executor_id uuid)
language sql stable parallel safe
begin atomic
  select coalesce(t.executor_id, a.executor_id, p.executor_id, j.executor_id, w.executor_id)
  from office.agents as a
  join office.workspaces as w on w.id = a.workspace_id
  left join office.profiles as p on p.id = a.profile_id and p.enabled and p.deleted_at is null
  left join office.tasks as t on t.id = usual_executor.task_id  -- noqa: RF01
  left join office.projects as j on j.id = t.project_id
  where a.id = usual_executor.agent_id;  -- noqa: RF01
end;

comment on function office_internal.usual_executor(uuid, uuid)
is 'Executor for an agent''s run: task, agent, profile, project, workspace, the first that is set.';
