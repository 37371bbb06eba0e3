-- office_internal.answer_of_request: what a change means to a task that one person asked of another (T12): only the person asked answers,
-- himself; todo and in_progress accept it, cancelled declines it. Answers the row as it is to be stored.
-- Refuses others (forbidden), and while it waits all that is not an answer, or not a person's act (request_waits).
create or replace function office_internal.answer_of_request(was office.tasks, becomes office.tasks)
returns office.tasks
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_doer record;
  v_row office.tasks := becomes;
begin
  if (was).request_answer is not null then
    v_row.request_answer := (was).request_answer;
    v_row.request_answered_at := (was).request_answered_at;
    return v_row;
  end if;
  if ((was).state, (was).assignee_agent_id, (was).assignee_account_id, (was).owner, (was).snoozed_until, (was).archived_at,
      (was).request_answer, (was).requested_by_account_id)
    is not distinct from ((becomes).state, (becomes).assignee_agent_id, (becomes).assignee_account_id, (becomes).owner,
      (becomes).snoozed_until, (becomes).archived_at, (becomes).request_answer, (becomes).requested_by_account_id)
    and ((becomes).deleted_at is null or (was).deleted_at is not null)
  then
    return v_row;
  end if;
  select * into v_doer from office_internal.doer();
  if v_doer.agent_id is null and v_doer.account_id is distinct from (was).assignee_account_id then
    perform office_internal.refuse(
      'forbidden', format('t%s waits for the answer of the person who was asked.', (was).number),
      coalesce((select format('That is %s.', a.name) from office.accounts as a where a.id = (was).assignee_account_id), 'Ask him.'),
      jsonb_build_object('task', 't' || (was).number)
    );
  end if;
  if v_doer.agent_id is not null or (becomes).state not in ('todo', 'in_progress', 'cancelled')
    or ((was).assignee_agent_id, (was).assignee_account_id, (was).owner, (was).snoozed_until, (was).archived_at, (was).deleted_at,
      (was).requested_by_account_id)
    is distinct from ((becomes).assignee_agent_id, (becomes).assignee_account_id, (becomes).owner, (becomes).snoozed_until,
      (becomes).archived_at, (becomes).deleted_at, (becomes).requested_by_account_id)
  then
    perform office_internal.refuse(
      'request_waits', format('t%s is a request that waits for its answer.', (was).number),
      format('The person who was asked answers it: select * from office.answer_request(''t%s'', ''accepted_private'');', (was).number),
      jsonb_build_object('task', 't' || (was).number)
    );
  end if;
  v_row.request_answer := case
    when (becomes).state = 'cancelled' then 'declined'
    when (becomes).request_answer = 'accepted_shared' then 'accepted_shared'
    else 'accepted_private'
  end;
  v_row.request_answered_at := office.now();
  return v_row;
end
$$;

comment on function office_internal.answer_of_request(office.tasks, office.tasks)
is 'Makes a change of a requested task its answer, or refuses it.';
