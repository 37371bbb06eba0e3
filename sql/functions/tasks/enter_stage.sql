-- office_internal.enter_stage: a task has come into a stage that queues a run on entry: the dispatch wakes its agent for it (T4). Called by
-- the table's trigger; takes no lock.
create or replace function office_internal.enter_stage(task office.tasks, event_id uuid)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if (task).assignee_agent_id is not null
    and exists (select from office.stages as s where s.id = (task).stage_id and s.queue_run)
  then
    perform office_internal.leave_signal(
      (task).workspace_id, 'task_staged', (task).id, (task).assignee_agent_id, event_id
    );
  end if;
end
$$;

comment on function office_internal.enter_stage(office.tasks, uuid) is 'Leaves a signal where a stage queues a run.';
