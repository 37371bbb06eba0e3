-- office_internal.request_check: has a task checked that somebody wants in review or done (T15). The move is made when the check has
-- passed, as that somebody, into the stage that was named, if one was. Answers whether a check is needed; one that is on its way is asked
-- for no second time. Writes a row and a signal, and locks nothing.
create or replace function office_internal.request_check(task_id uuid, target text, stage_id uuid default null)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task office.tasks;
  v_me record;
begin
  select * into v_task from office.tasks as t where t.id = request_check.task_id;
  v_task.stage_id := coalesce(request_check.stage_id, v_task.stage_id);
  -- What the table of moves does not hold is refused by the move itself.
  if v_task.state = target or office_internal.is_checked(v_task, target)
    or not exists (select from office.task_moves as m where m.from_state = v_task.state and m.to_state = request_check.target)
  then
    return false;
  end if;
  select * into v_me from office_internal.doer();
  insert into office.task_checks (
    workspace_id, task_id, from_state, target, stage_id, command, account_id, agent_id, attempt_id, depth
  )
  values (
    v_task.workspace_id, v_task.id, v_task.state, target, request_check.stage_id, office_internal.check_of(v_task, target),
    v_me.account_id, v_me.agent_id, v_me.attempt_id, v_me.depth
  )
  on conflict do nothing;
  if found then
    perform office_internal.remember(
      v_task.workspace_id, 'check_requested', jsonb_build_object('target', target), v_me.account_id, v_me.agent_id, v_task.id, null,
      v_me.attempt_id
    );
    perform office_internal.leave_signal(v_task.workspace_id, 'look');
  end if;
  return true;
end
$$;

comment on function office_internal.request_check(uuid, text, uuid) is 'Has a task checked before it moves.';
