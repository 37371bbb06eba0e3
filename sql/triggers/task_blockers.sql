-- Trigger of office.task_blockers: what holds a task's runs back changed (Q12).

create or replace function office_internal.task_blockers_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_blocker office.task_blockers := coalesce(new, old);
begin
  perform office_internal.leave_signal(v_blocker.workspace_id, 'task_holds', v_blocker.task_id);
  return null;
end
$$;
comment on function office_internal.task_blockers_tell() is 'Leaves a signal when a blocker comes or goes.';

create or replace trigger task_blockers_tell
after insert or delete on office.task_blockers
for each row execute function office_internal.task_blockers_tell();
