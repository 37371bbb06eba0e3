-- Triggers of office.task_blockers: both tasks are of one workspace (T8); what holds a task's runs back changed (Q12).

create or replace function office_internal.task_blockers_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if (
    select count(*) <> 2 from office.tasks as t
    where t.id in (new.task_id, new.blocker_task_id) and t.workspace_id = new.workspace_id
  ) then
    perform office_internal.refuse(
      'invalid', 'A task waits for other tasks of its own workspace.', 'Name a task of the same workspace.',
      jsonb_build_object('field', 'blocked_by')
    );
  end if;
  return new;
end
$$;
comment on function office_internal.task_blockers_check() is 'Refuses a blocker of another workspace, and a task that waits for itself.';

create or replace function office_internal.task_blockers_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  -- A row that a hand has changed was about two tasks at most.
  perform office_internal.leave_signal(t.workspace_id, 'task_holds', t.id)
  from office.tasks as t
  where t.id in (new.task_id, old.task_id);
  return null;
end
$$;
comment on function office_internal.task_blockers_tell() is 'Leaves a signal when a blocker comes or goes.';

create or replace trigger task_blockers_check
before insert or update on office.task_blockers
for each row execute function office_internal.task_blockers_check();

create or replace trigger task_blockers_tell
after insert or update or delete on office.task_blockers
for each row execute function office_internal.task_blockers_tell();
