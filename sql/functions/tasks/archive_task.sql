-- office.archive_task: takes a task off the board; its queued runs are cancelled by the dispatch. Again: a no-op.
-- Refuses unknown tasks (not_found), agents (forbidden). Takes no gate.
create or replace function office.archive_task(task text)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid;
begin
  perform office_internal.need_person();
  v_task := office_internal.find_task(task);
  update office.tasks as t set archived_at = office.now() where t.id = v_task and t.archived_at is null;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.archive_task(text) is 'Archives a task.';
