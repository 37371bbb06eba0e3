-- office.answer_request: the person asked answers (T12): accepted_private or accepted_shared (a run that the requester may see), and the
-- task is in progress; declined, and it is cancelled. What was asked stays, the note is added. Refuses others (forbidden), agents
-- (request_waits), other answers (invalid), a task that nobody was asked for or that is answered (conflict). Takes no gate.
create or replace function office.answer_request(task text, answer text, note text default null)
returns table (task_id uuid, request text, state text, answered text, said text, requested_by text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_task office.tasks;
begin
  perform office_internal.caller();
  select * into v_task from office.tasks as t where t.id = office_internal.find_task(answer_request.task);
  if answer_request.answer is null or answer_request.answer not in ('accepted_private', 'accepted_shared', 'declined') then
    perform office_internal.refuse(
      'invalid', format('"%s" is no answer to a request.', coalesce(answer_request.answer, '')),
      'accepted_private, accepted_shared or declined.', jsonb_build_object('field', 'answer', 'given', answer_request.answer)
    );
  end if;
  if length(answer_request.note) > 2000 then
    perform office_internal.refuse('invalid', 'A note has at most 2000 characters.', 'Say less.', jsonb_build_object('field', 'note'));
  end if;
  if v_task.requested_by_account_id is null or v_task.request_answer is not null then
    perform office_internal.refuse(
      'conflict', format('t%s waits for no answer.', v_task.number),
      coalesce('It was answered: ' || v_task.request_answer || '.', 'Nobody asked for it.'),
      jsonb_build_object('task', 't' || v_task.number, 'answered', v_task.request_answer)
    );
  end if;
  update office.tasks as t
  set state = case when answer_request.answer = 'declined' then 'cancelled' else 'in_progress' end,
    request_answer = answer_request.answer, request_note = answer_request.note,
    description = t.description || coalesce(E'\n\n' || nullif(answer_request.note, ''), '')
  where t.id = v_task.id and t.request_answer is null;
  if not found then
    perform office_internal.refuse(
      'conflict', format('t%s was answered meanwhile.', v_task.number), 'Look at it again.',
      jsonb_build_object('task', 't' || v_task.number)
    );
  end if;
  update office.inbox_items as i
  set closed_at = office.now()
  where i.task_id = v_task.id and i.kind = 'task.request' and i.closed_at is null;
  return query
    select t.id, 't' || t.number, t.state, t.request_answer, t.request_note, u.name
    from office.tasks as t
    join office.accounts as u on u.id = t.requested_by_account_id
    where t.id = v_task.id;
end
$$;

comment on function office.answer_request(text, text, text) is 'Accepts or declines a task that somebody asked for.';
