-- office.request_approval: an agent asks people to approve something: hire, budget_increase, board, task_review, skill (D1). Its run does
-- not wait; the answer, approved or rejected, wakes the agent (D6), and the request outlives the run (D4).
-- The same request again for one attempt gives the first row. Refuses people (forbidden), unknown subjects, bad texts and times
-- (invalid), unknown tasks (not_found), an eleventh open request (too_many). Takes the gate.
create or replace function office.request_approval(
  subject text,
  prompt text,
  task text default null,
  expires_after interval default null
)
returns office.decision_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_subjects constant text[] := array['hire', 'budget_increase', 'board', 'task_review', 'skill'];
  v_asked office.decisions;
begin
  if request_approval.subject is null or request_approval.subject <> all(v_subjects) then
    perform office_internal.refuse(
      'invalid', format('Nothing is approved as "%s".', coalesce(request_approval.subject, '')),
      format('One of: %s.', array_to_string(v_subjects, ', ')),
      jsonb_build_object('field', 'subject', 'given', request_approval.subject)
    );
  end if;
  v_asked := office_internal.read_question(
    'approval', prompt, '[{"id": "approved", "text": "Approve"}, {"id": "rejected", "text": "Reject"}]', expires_after, 'go_on'
  );
  v_asked.subject := request_approval.subject;
  if request_approval.task is not null then
    v_asked.task_id := office_internal.find_task(request_approval.task);
  end if;
  v_asked.fingerprint := sha256(v_asked.fingerprint || convert_to(concat_ws(' ', v_asked.subject, v_asked.task_id), 'UTF8'));
  if not office_internal.was_asked(v_asked) then
    perform office_internal.take_attempt(v_asked.attempt_id);
    perform office_internal.store_question(v_asked);
  end if;
  return office_internal.tell_answer(v_asked);
end
$$;

comment on function office.request_approval(text, text, text, interval)
is 'Asks people for an approval from inside a run; the answer wakes the agent.';
