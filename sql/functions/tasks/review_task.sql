-- office.review_task: a verdict on a task in review, approved or rejected, with a note that becomes the reviewer's comment (T9). A person's
-- verdict on a task that requires an approval is the answer to that decision, and office.answer is the same act. What all verdicts of the
-- round come to is decided by the dispatch: rejections wait for the remaining reviewers.
-- Refuses unknown tasks (not_found), agents that are neither its reviewers nor its approvers, and everybody on their own work (forbidden),
-- other verdicts (invalid), a task that is not in review (not_in_review), a second verdict in one round (already_reviewed,
-- already_answered). Takes the gate where a decision is answered.
create or replace function office.review_task(task text, verdict text, note text default null)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
  v_task office.tasks;
  v_decision uuid;
begin
  perform office_internal.caller();
  select * into v_me from office_internal.identity();
  select * into v_task from office.tasks as t where t.id = office_internal.find_task(task);
  if verdict is null or verdict not in ('approved', 'rejected') then
    perform office_internal.refuse(
      'invalid', format('"%s" is no verdict.', coalesce(verdict, '')), 'approved or rejected.',
      jsonb_build_object('field', 'verdict', 'given', verdict)
    );
  end if;
  if length(note) > 2000 then
    perform office_internal.refuse(
      'invalid', 'A note has at most 2000 characters.', 'Say more in a comment: office.add_comment.', jsonb_build_object('field', 'note')
    );
  end if;
  if v_task.assignee_agent_id = v_me.agent_id or v_task.assignee_account_id = v_me.account_id then
    perform office_internal.refuse(
      'forbidden', 'Nobody approves their own work.', 'Let somebody else review it.', jsonb_build_object('task', 't' || v_task.number)
    );
  end if;
  if v_me.agent_id is not null and not exists (
    select from office.task_participants as p where p.task_id = v_task.id and p.agent_id = v_me.agent_id
  ) then
    perform office_internal.refuse(
      'forbidden', format('This agent does not review t%s.', v_task.number),
      format('A person can make it a reviewer: select * from office.add_participant(''t%s'', ''NAME'');', v_task.number),
      jsonb_build_object('task', 't' || v_task.number)
    );
  end if;
  if v_task.state <> 'in_review' or v_task.archived_at is not null then
    perform office_internal.refuse(
      'not_in_review', format('t%s is %s, not in review.', v_task.number, v_task.state),
      'office.complete_task brings it there.', jsonb_build_object('task', 't' || v_task.number, 'state', v_task.state)
    );
  end if;
  if v_me.agent_id is null and v_task.requires_approval then
    perform office_internal.take_gates(array[v_task.workspace_id]);
    perform office_internal.ask_for_approvals(array[v_task.id]);
    select d.id into v_decision
    from office.decisions as d
    where d.task_id = v_task.id and d.round = v_task.review_round;
  end if;
  if v_decision is not null then
    perform office.answer(v_decision::text, verdict, note);
  elsif not office_internal.give_verdict(v_task.id, v_task.review_round, verdict, note) then
    perform office_internal.refuse(
      'not_in_review', format('t%s is no longer in this round of its review.', v_task.number), 'Look at it again.',
      jsonb_build_object('task', 't' || v_task.number)
    );
  end if;
  return office_internal.task_card(v_task.id);
end
$$;

comment on function office.review_task(text, text, text) is 'Gives a verdict, approved or rejected, on a task in review.';
