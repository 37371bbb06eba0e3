-- office_internal.follow_checks: a check that has passed is good for one move (T15): once that is made, or made no more, it is used. One
-- that is open for a task which is cancelled, or gone, is dropped. The caller holds the gates.
create or replace function office_internal.follow_checks(signals office_internal.signals[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_tasks uuid[] := array(select distinct s.task_id from unnest(signals) as s where s.task_id is not null);
begin
  if not exists (select from office.task_checks as c where c.task_id = any(v_tasks) and c.status in ('requested', 'passed')) then
    return;
  end if;
  update office.task_checks as c
  set status = 'used'
  where c.task_id = any(v_tasks) and c.status is not distinct from 'passed'
    and not exists (
      select from office_internal.changes as m where m.task_id = c.task_id and m.kind = 'move_task' and m.to_state = c.target
    );
  update office.task_checks as c
  set status = 'dropped', ended_at = office_internal.wall_clock()
  from office.tasks as t
  where c.task_id = any(v_tasks) and t.id = c.task_id and c.status is not distinct from 'requested'
    and (t.state = 'cancelled' or t.archived_at is not null or t.deleted_at is not null);
end
$$;

comment on function office_internal.follow_checks(office_internal.signals[]) is 'Uses up checks whose move is made.';
