-- office_internal.is_blocked: whether a task waits for another that has not ended (Q12). Asked from the task's own blockers, each looked
-- up by its key: as a join it may be planned as a walk through all open tasks (Q14).
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
      where b.task_id = is_blocked.task_id
        and (select not office_internal.is_closed(k) from office.tasks as k where k.id = b.blocker_task_id)
    )
  );
end
$$;

comment on function office_internal.is_blocked(uuid) is 'True for a task with an unresolved blocker.';
