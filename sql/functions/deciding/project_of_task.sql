-- office_internal.project_of_task: the project that a task belongs to; null: none.
create or replace function office_internal.project_of_task(task_id uuid)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (select t.project_id from office.tasks as t where t.id = project_of_task.task_id);
end
$$;

comment on function office_internal.project_of_task(uuid) is 'The project of a task.';
