-- office.complete_task: says that a task's work is done: to in_review when somebody must approve it, else to done (T9).
-- Refuses a task that is not under way (move_refused) and another run's (forbidden). Takes no gate.
create or replace function office.complete_task(task text, summary text default null)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.task_to_change(task);
begin
  if nullif(summary, '') is not null then
    perform office.add_comment(task, summary);
  end if;
  update office.tasks as t
  set state = case
    when t.requires_approval
      or exists (select from office.task_participants as p where p.task_id = t.id and p.role = 'approver')
      then 'in_review'
    else 'done'
  end
  where t.id = v_task;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.complete_task(text, text) is 'Ends a task''s work: in review when it needs approval, else done.';
