-- office.add_feedback: a person's word on a run (E3). Its run is never edited; with follow_up its agent is woken with that word, and the
-- feedback names the wakeup, so its run is linked to this one. A run takes 100, of 4,000 characters each.
-- Refuses agents (forbidden), unknown runs (not_found), an empty or over-long text and the one too many (invalid). Takes no gate.
create or replace function office.add_feedback(run text, body text, follow_up boolean default false)
returns table (feedback_id uuid, number integer, wakeup_id uuid)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_account uuid := office_internal.need_person();
  v_run office.runs;
  v_made office.feedback;
begin
  select * into v_run from office.runs as r where r.id = office_internal.find_run(add_feedback.run);
  if coalesce(length(add_feedback.body), 0) not between 1 and 4000 then
    perform office_internal.refuse(
      'invalid', 'Feedback is a text of 1 to 4000 characters.', 'Say it in several, or in a comment on the task.',
      jsonb_build_object('field', 'body')
    );
  end if;
  -- Whoever writes at the same moment has the number before.
  loop
    insert into office.feedback (workspace_id, run_id, number, account_id, body)
    select v_run.workspace_id, v_run.id, coalesce(max(f.number), 0) + 1, v_account, add_feedback.body
    from office.feedback as f
    where f.run_id = v_run.id
    having coalesce(max(f.number), 0) < 100
    on conflict (run_id, number) do nothing
    returning * into v_made;
    exit when v_made.id is not null;
    if exists (select from office.feedback as f where f.run_id = v_run.id and f.number = 100) then
      perform office_internal.refuse(
        'invalid', format('r%s has 100 entries of feedback: it takes no more.', v_run.number), 'Comment on its task.',
        jsonb_build_object('field', 'run', 'run', 'r' || v_run.number)
      );
    end if;
  end loop;
  if follow_up then
    update office.feedback as f
    set wakeup_id = w.wakeup_id
    from office.wake(
      v_run.agent_id::text, 'user',
      jsonb_build_object(
        'user_id', v_account, 'task_id', v_run.task_id,
        'context', format('Feedback on r%s: %s', v_run.number, add_feedback.body)
      )
    ) as w
    where f.id = v_made.id
    returning f.* into v_made;
  end if;
  return query select v_made.id, v_made.number, v_made.wakeup_id;
end
$$;

comment on function office.add_feedback(text, text, boolean)
is 'Adds feedback to a run, which stays as it is; follow_up wakes its agent with it.';
