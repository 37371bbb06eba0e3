-- office_internal.is_checked: whether a task may come into a state as far as its check goes (T15): there is none, or the last one was for
-- this very move, has passed, and the move is still to be carried out. Once that is done or dropped, the pass is worth nothing.
create or replace function office_internal.is_checked(task office.tasks, target text)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_check jsonb := office_internal.check_of(task, target);
begin
  return v_check is null or coalesce(
    exists (
      select from office_internal.changes as m where m.task_id = (task).id and m.kind = 'move_task' and m.to_state = target
    ) and (
      select c.status = 'passed' and c.target = is_checked.target and c.command = v_check
      from office.task_checks as c
      where c.task_id = (task).id
      order by c.number desc
      limit 1
    ),
    false
  );
end
$$;

comment on function office_internal.is_checked(office.tasks, text) is 'True when a task''s check is no obstacle to its move.';
