-- office_internal.hand_back_tasks: what these stopped or dropped runs were about goes back to todo, by change signal, when it is in progress (or
-- about to be) and the run was its assignee's (P6); every other state stays, and so does one that the assignee still works on. Going back
-- wakes nobody. The caller holds the gates.
create or replace function office_internal.hand_back_tasks(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if coalesce(cardinality(run_ids), 0) = 0 then
    return;
  end if;
  insert into office_internal.changes (workspace_id, kind, task_id, from_state, to_state, account_id, agent_id)
  select distinct r.workspace_id, 'move_task', t.id, 'in_progress', 'todo', office_internal.system_account(), r.agent_id
  from office.runs as r
  join office.tasks as t on t.id = r.task_id and t.assignee_agent_id = r.agent_id
  where r.id = any(run_ids)
    and (
      t.state = 'in_progress'
      or (t.state = 'todo' and exists (
        select from office_internal.changes as c where c.task_id = t.id and c.kind = 'move_task' and c.to_state = 'in_progress'
      ))
    )
    and not exists (
      select
      from office.runs as o
      where o.task_id = t.id and o.agent_id = r.agent_id and o.id <> all(run_ids)
        and (o.status in ('claimed', 'running', 'waiting')) is true
    );
end
$$;

comment on function office_internal.hand_back_tasks(uuid[]) is 'Puts the tasks of stopped and dropped runs back to todo.';
