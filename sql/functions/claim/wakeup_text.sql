-- office_internal.wakeup_text: why an agent was woken, for its prompt: one paragraph a wakeup, by source (C1); build_prompts has written
-- out the plainest itself. The run's task is given by its number.
create or replace function office_internal.wakeup_text(wakeup office.wakeups, task text)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_payload jsonb := (wakeup).payload;
begin
  case (wakeup).source
    when 'comment' then
      return 'A comment on task ' || task || ':' || coalesce(
        office_internal.comment_texts(array[(v_payload ->> 'comment_id')::uuid]), ' it was removed since.'
      );
    when 'self' then
      return E'You asked to be woken:\n\n' || office_internal.fence(v_payload ->> 'reason')
        || coalesce(E'\n\n' || office_internal.fence(v_payload ->> 'payload'), '');
    when 'routine' then
      return office_internal.routine_text(wakeup);
    when 'message' then
      return E'A message to you:\n\n' || office_internal.fence(v_payload ->> 'text');
    when 'task_blockers_resolved' then
      return (
        select coalesce(nullif(concat_ws(
          E'\n\n',
          case when i.resolved <> '{}' then 'What task ' || task || ' waited for has ended:'
            || office_internal.task_list(i.resolved, true) end,
          case when i.cancelled <> '{}' then 'What it waited for and was cancelled, so was never done:'
            || office_internal.task_list(i.cancelled, true) end
        ), ''), 'Task ' || task || ' waits for no other any more.')
        from (
          select
            array(
              select e.id::uuid
              from jsonb_array_elements_text(v_payload -> 'resolved_blocker_ids') as e (id)
              where not coalesce(v_payload -> 'cancelled_blocker_ids', '[]') ? e.id
            ) as resolved,
            array(select e.id::uuid from jsonb_array_elements_text(v_payload -> 'cancelled_blocker_ids') as e (id)) as cancelled
        ) as i
      );
    when 'task_children_completed' then
      return 'All parts of task ' || task || ' have ended:' || office_internal.task_list(
        array(select c.id from office.tasks as c where c.parent_id = (wakeup).task_id and c.deleted_at is null order by c.number), true
      );
    when 'review_requested' then
      return format(
        'Task %s waits for your review: you are its %s, in round %s. Look at what was done, then give your verdict: approve it, or '
        || 'reject it with a note that says what must change.', task, v_payload ->> 'role', v_payload ->> 'round'
      );
    when 'changes_requested' then
      if v_payload ? 'check_id' then
        return (
          select format('The check of task %s has failed (%s): %s. It stays as it is until that passes; mend it, and complete it again.',
            task, coalesce('exit code ' || c.exit_code, 'it was stopped, or could not be run'),
            (select string_agg(w.word, ' ') from jsonb_array_elements_text(c.command) as w (word)))
            || coalesce(E'\n\n' || office_internal.fence(right(nullif(c.output, ''), 4000)), '')
          from office.task_checks as c
          where c.id = (v_payload ->> 'check_id')::uuid
        );
      end if;
      return format('Reviewers of task %s want changes (round %s):', task, v_payload ->> 'round') || coalesce(
        office_internal.comment_texts(array(select e.id::uuid from jsonb_array_elements_text(v_payload -> 'comment_ids') as e (id))),
        ' what they wrote was removed since.'
      );
    when 'ready_to_close' then
      return 'All have approved task ' || task || '. It is yours to close.';
    when 'reopened' then
      return 'Task ' || task || ' was closed and is open again.';
    when 'queue_run' then
      return 'Task ' || task || ' has come to ' || coalesce((
        select 'the stage ' || to_jsonb(s.name)::text from office.stages as s where s.id = (v_payload ->> 'stage_id')::uuid
      ), 'a stage') || ', which wants you to work on it.' || coalesce(E'\n\n' || office_internal.fence(v_payload ->> 'context'), '');
    when 'approval_resolved' then
      return coalesce(
        (
          select 'Your request d' || d.number || ' (' || d.subject || ') was ' || (v_payload ->> 'status')
            || E':\n\n' || office_internal.fence(d.prompt)
          from office.decisions as d
          where d.id = (v_payload ->> 'approval_id')::uuid
        ),
        'What you asked approval for was ' || (v_payload ->> 'status') || '.'
      )
      || case when v_payload ->> 'status' = 'expired' then E'\n\nNobody answered: that is not a "no".' else '' end
      || coalesce(E'\n\nThe note:\n\n' || office_internal.fence(v_payload ->> 'decision_note'), '');
    when 'agent_error' then
      return format(
        E'Agent %s needs help (run %s%s):\n\n%s',
        (select a.name from office.agents as a where a.id = (v_payload ->> 'failed_agent_id')::uuid),
        coalesce((select 'r' || r.number from office.runs as r where r.id = (v_payload ->> 'run_id')::uuid), 'unknown'),
        ', session ' || to_jsonb(v_payload ->> 'failed_session_id')::text,
        office_internal.fence(v_payload ->> 'error')
      );
    when 'budget_alert' then
      return format(
        'What agent %s spends has reached %s %% of a budget%s.',
        (select a.name from office.agents as a where a.id = (v_payload ->> 'agent_instance_id')::uuid), v_payload ->> 'budget_pct',
        ' (of ' || to_jsonb(v_payload ->> 'scope')::text || ')'
      );
    else
      return (
        select upper(left(s.meaning, 1)) || substr(s.meaning, 2) || E':\n\n' || office_internal.fence(jsonb_pretty(v_payload))
        from office.wakeup_sources as s
        where s.source = (wakeup).source
      );
  end case;
end
$$;

comment on function office_internal.wakeup_text(office.wakeups, text) is 'One wakeup as a paragraph of the prompt.';
