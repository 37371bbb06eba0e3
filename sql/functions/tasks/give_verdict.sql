-- office_internal.give_verdict: writes down a verdict on a task in this round of its review, and what was said with it as the reviewer's
-- comment, as whoever acts (T9). What it means is the dispatch's to decide. Answers false when the round is over.
-- Refuses a second verdict (already_reviewed). Takes the task's row.
create or replace function office_internal.give_verdict(task_id uuid, round integer, verdict text, note text)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
  v_task office.tasks;
  v_comment uuid;
begin
  select * into v_me from office_internal.doer();
  select * into v_task from office.tasks as t where t.id = give_verdict.task_id for no key update;
  if v_task.state is distinct from 'in_review' or v_task.review_round <> give_verdict.round or v_task.archived_at is not null then
    return false;
  end if;
  if exists (
    select from office.task_reviews as v
    where v.task_id = v_task.id and v.round = v_task.review_round and (v.agent_id = v_me.agent_id or v.account_id = v_me.account_id)
  ) then
    perform office_internal.refuse(
      'already_reviewed', format('This reviewer has judged t%s in this round.', v_task.number),
      'It can be judged again when it comes back into review.',
      jsonb_build_object('task', 't' || v_task.number, 'round', v_task.review_round)
    );
  end if;
  if nullif(note, '') is not null then
    insert into office.comments (workspace_id, task_id, author_account_id, author_agent_id, attempt_id, body)
    values (v_task.workspace_id, v_task.id, v_me.account_id, v_me.agent_id, v_me.attempt_id, note)
    returning id into v_comment;
  end if;
  insert into office.task_reviews (workspace_id, task_id, round, account_id, agent_id, verdict, comment_id, attempt_id)
  values (
    v_task.workspace_id, v_task.id, v_task.review_round, v_me.account_id, v_me.agent_id, give_verdict.verdict, v_comment, v_me.attempt_id
  );
  return true;
end
$$;

comment on function office_internal.give_verdict(uuid, integer, text, text) is 'Writes a verdict down, with its comment.';
