-- office_internal.usual_executor: what an agent's run launches: the task's executor where a task is given and names one, else the
-- agent's own, its profile's, the project's, the workspace's (Q13.8). An agent that has a profile launches nothing else while that is
-- disabled or gone (X7). A profile that is a list gives those of its list that are enabled and fit the task's complexity, in order:
-- choices; the first is what is launched while nothing is on hold. One row; null: there is none.
-- A table function of one statement, so that it becomes part of the query that asks.
create or replace function office_internal.usual_executor(agent_id uuid, task_id uuid default null)
returns table (executor_id uuid, choices uuid[])
language sql stable parallel safe
begin atomic
  select
    coalesce(
      t.executor_id, a.executor_id, p.executor_id, c.executor_ids[1],
      case when a.profile_id is null then coalesce(j.executor_id, w.executor_id) end
    ),
    case when t.executor_id is null and a.executor_id is null then c.executor_ids end
  from office.agents as a
  join office.workspaces as w on w.id = a.workspace_id
  left join office.profiles as p on p.id = a.profile_id and p.enabled and p.deleted_at is null
  left join office.tasks as t on t.id = usual_executor.task_id  -- noqa: RF01
  left join office.projects as j on j.id = t.project_id
  left join lateral (
    select array_agg(k.executor_id order by o.position) as executor_ids
    from office.profile_choices as o
    join office.profiles as k on k.id = o.choice_id and k.enabled and k.deleted_at is null
    where o.profile_id = p.id and (k.tiers is null or t.complexity is null or t.complexity = any(k.tiers))
  ) as c on true
  where a.id = usual_executor.agent_id;  -- noqa: RF01
end;

comment on function office_internal.usual_executor(uuid, uuid)
is 'Executor for an agent''s run: task, agent, profile, project, workspace, the first that is set; and what a list may choose among.';
