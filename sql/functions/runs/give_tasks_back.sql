-- office_internal.give_tasks_back: the tasks of runs that were stopped or dropped go back to todo, by change signal, when they are in
-- progress and the run was their assignee's (P6); every other state stays. It wakes nobody. A task that another run of its assignee works
-- on, or is to, stays as well. The caller holds the gates.
create or replace function office_internal.give_tasks_back(ended_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office_internal.changes (workspace_id, kind, task_id, from_state, to_state, account_id)
  select distinct r.workspace_id, 'move_task', t.id, 'in_progress', 'todo', office_internal.system_account()
  from office.runs as r
  join office.tasks as t on t.id = r.task_id
  where r.id = any(ended_run_ids) and r.status = 'cancelled' and r.cancel_reason in ('stopped', 'dropped')
    and t.assignee_agent_id = r.agent_id
    -- Its start may not have reached the task yet.
    and (
      t.state = 'in_progress'
      or (t.state = 'todo' and exists (
        select from office_internal.changes as c where c.task_id = t.id and c.kind = 'move_task' and c.to_state = 'in_progress'
      ))
    )
    and not exists (
      select
      from office.runs as o
      where o.task_id = t.id and o.agent_id = r.agent_id and o.id <> all(ended_run_ids)
        and o.status in ('queued', 'claimed', 'running', 'waiting', 'stopping')
    );
end
$$;

comment on function office_internal.give_tasks_back(uuid[]) is 'Puts tasks of stopped and dropped runs back to todo.';
