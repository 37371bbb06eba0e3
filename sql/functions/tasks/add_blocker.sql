-- office.add_blocker: a task waits for another of its workspace (T8). Waiting for it already: a no-op. Refuses unknown tasks (not_found),
-- another run's (forbidden), one of another workspace (invalid), and what would make a task wait for itself (blocker_cycle); the table's
-- triggers do, for a plain INSERT as well. Takes no gate: the dispatch holds the task's runs back.
create or replace function office.add_blocker(task text, blocker text)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.task_to_change(task);
begin
  insert into office.task_blockers (workspace_id, task_id, blocker_task_id)
  select t.workspace_id, t.id, office_internal.find_task(blocker)
  from office.tasks as t
  where t.id = v_task
  on conflict do nothing;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.add_blocker(text, text) is 'Lets a task wait for another.';
