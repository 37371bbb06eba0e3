-- office.delete_task: deletes a task: deleted_at is set, its queued runs are cancelled by the dispatch (A6).
-- Refuses unknown tasks (not_found), agents (forbidden). Takes no gate.
create or replace function office.delete_task(task text)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid;
begin
  perform office_internal.need_person();
  v_task := office_internal.find_task(task);
  update office.tasks as t set deleted_at = office.now() where t.id = v_task and t.deleted_at is null;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.delete_task(text) is 'Deletes a task.';
