-- office.remove_blocker: a task waits no longer for another (T8). Refuses unknown tasks (not_found), another run's (forbidden), and one
-- that it does not wait for (not_found). Takes no gate: the dispatch lets its runs go, or wakes its agent.
create or replace function office.remove_blocker(task text, blocker text)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.task_to_change(task);
  v_blocker uuid := office_internal.find_task(blocker);
begin
  delete from office.task_blockers as b where b.task_id = v_task and b.blocker_task_id = v_blocker;
  if not found then
    perform office_internal.not_found(
      'blocker', blocker,
      (select array_agg('t' || k.number) from office.task_blockers as b join office.tasks as k on k.id = b.blocker_task_id
        where b.task_id = v_task),
      format('%s does not wait for it.', task)
    );
  end if;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.remove_blocker(text, text) is 'Lets a task wait no longer for another.';
