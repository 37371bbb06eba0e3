-- office.complete_task: says that a task's work is done: to in_review when somebody must approve it, else to done (T9), once its check,
-- where there is one, has passed (T15). With all
-- approvals given, done. wake_after_approval: the last approval wakes the assignee, who closes it himself.
-- Refuses a task that is not under way (move_refused) and another run's (forbidden). Takes no gate.
create or replace function office.complete_task(task text, summary text default null, wake_after_approval boolean default false)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.task_to_change(task);
  v_target text;
  v_waits boolean;
begin
  if nullif(summary, '') is not null then
    perform office.add_comment(task, summary);
  end if;
  -- Its run has begun, and that it is in progress is on its way (T5): it is, whoever is quicker.
  update office.tasks as t
  set state = 'in_progress'
  where t.id = v_task and t.state = 'todo' and office_internal.needs_approval(t)
    and exists (select from office_internal.changes as c where c.task_id = t.id and c.kind = 'move_task' and c.from_state = 'todo');
  select case
    when not office_internal.needs_approval(t) or (t.state = 'in_review' and office_internal.is_approved(t)) then 'done'
    else 'in_review'
  end into v_target
  from office.tasks as t
  where t.id = v_task;
  -- It is moved once its check has passed (T15).
  v_waits := office_internal.request_check(v_task, v_target);
  update office.tasks as t
  set state = case when v_waits then t.state else v_target end,
    wake_after_approval = coalesce(complete_task.wake_after_approval, false)
  where t.id = v_task;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.complete_task(text, text, boolean) is 'Ends a task''s work: in review when it needs approval, else done.';
