-- office_internal.is_blocked: whether a task waits for another that has not ended (Q12).
create or replace function office_internal.is_blocked(task_id uuid)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select exists (
      select
      from office.task_blockers as b
      join office.tasks as k on k.id = b.blocker_task_id
      where b.task_id = is_blocked.task_id and not office_internal.is_closed(k)
    )
  );
end
$$;

comment on function office_internal.is_blocked(uuid) is 'True for a task with an unresolved blocker.';
