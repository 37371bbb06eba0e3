-- Triggers of office.task_reviews: a verdict counts for the round that is on, and stays; the dispatch decides what it comes to (T9).

create or replace function office_internal.task_reviews_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task office.tasks;
begin
  select * into v_task from office.tasks as t where t.id = new.task_id;
  if tg_op = 'UPDATE' then
    perform office_internal.refuse(
      'move_refused', 'A verdict stays as it was given.', 'A new round of the review takes new ones.',
      jsonb_build_object('task', 't' || v_task.number)
    );
  end if;
  if v_task.workspace_id is distinct from new.workspace_id or v_task.state <> 'in_review' or v_task.review_round <> new.round then
    perform office_internal.refuse(
      'not_in_review', format('t%s is not in that round of its review.', v_task.number), 'office.review_task gives a verdict.',
      jsonb_build_object('task', 't' || v_task.number)
    );
  end if;
  if new.agent_id = v_task.assignee_agent_id or new.account_id = v_task.assignee_account_id then
    perform office_internal.refuse(
      'forbidden', 'Nobody approves their own work.', 'Let somebody else review it.', jsonb_build_object('task', 't' || v_task.number)
    );
  end if;
  return new;
end
$$;
comment on function office_internal.task_reviews_check() is 'Refuses verdicts out of their round, on own work, and changed ones.';

create or replace function office_internal.task_reviews_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_event uuid;
begin
  v_event := office_internal.remember(
    new.workspace_id, 'task_reviewed', jsonb_build_object('verdict', new.verdict, 'round', new.round),
    new.account_id, new.agent_id, new.task_id, null, new.attempt_id
  );
  perform office_internal.leave_signal(new.workspace_id, 'task_reviewed', new.task_id, new.agent_id, v_event);
  return null;
end
$$;
comment on function office_internal.task_reviews_tell() is 'Leaves activity and a signal of a verdict.';

create or replace trigger task_reviews_check
before insert or update on office.task_reviews
for each row execute function office_internal.task_reviews_check();

create or replace trigger task_reviews_tell
after insert on office.task_reviews
for each row execute function office_internal.task_reviews_tell();
