-- office_internal.latest_run: a task's latest run: the one that was made last.
create or replace function office_internal.latest_run(task_id uuid)
returns uuid
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select r.id from office.runs as r where r.task_id = latest_run.task_id order by r.number desc limit 1
$$;

comment on function office_internal.latest_run(uuid) is 'Latest run of a task.';
