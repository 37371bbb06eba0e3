-- office.snooze_task: puts a task off: its task_assigned runs wait until then; null: no longer (T1). Refuses unknown tasks (not_found),
-- agents (forbidden). Takes no gate: the dispatch holds the runs.
create or replace function office.snooze_task(task text, until timestamptz)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid;
begin
  perform office_internal.need_person();
  v_task := office_internal.find_task(task);
  update office.tasks as t set snoozed_until = snooze_task.until where t.id = v_task;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.snooze_task(text, timestamptz) is 'Puts a task off until a time; null takes that back.';
