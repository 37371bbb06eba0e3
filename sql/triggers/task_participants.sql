-- Triggers of office.task_participants: an agent that is taken off a task leaves a signal, for its session there ends (N1).

create or replace function office_internal.task_participants_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.leave_signal(o.workspace_id, 'task_unassigned', o.task_id, o.agent_id)
  from old_rows as o
  where o.agent_id is not null;
  return null;
end
$$;
comment on function office_internal.task_participants_tell() is 'Leaves signals of agents that are taken off tasks.';

create or replace trigger task_participants_tell
after delete on office.task_participants
referencing old table as old_rows
for each statement execute function office_internal.task_participants_tell();
