-- office_internal.do_action: one action that a run's result asks for, as its agent, by the function that the agent calls while it runs
-- (X8, X2): {"do": "comment", "body", "task"}, {"do": "move", "state", "task"}, {"do": "complete", "summary", "task"},
-- {"do": "create-task", "title", "description", "assignee", "blocked_by"}, {"do": "wake-self", "reason", "payload"},
-- {"do": "note-decision", "decision"}. Without a task the run's own is meant. What asks a person is asked while the run lives.
-- Refuses what is none of these (invalid, missing, unknown_field), and what the function refuses. Takes no gate.
create or replace function office_internal.do_action(action jsonb, agent_id uuid, attempt_id uuid)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_fields text[];
  v_field text;
  v_own text;
  v_task text;
begin
  if jsonb_typeof(action) = 'object' then
    v_fields := case action ->> 'do'
      when 'comment' then array['body', 'task']
      when 'move' then array['state', 'task']
      when 'complete' then array['summary', 'task']
      when 'create-task' then array['title', 'description', 'assignee', 'blocked_by']
      when 'wake-self' then array['reason', 'payload']
      when 'note-decision' then array['decision']
    end;
  end if;
  if v_fields is null then
    perform office_internal.refuse(
      'invalid', 'An action is an object that says what to do.',
      '"do" is comment, move, complete, create-task, wake-self or note-decision.', jsonb_build_object('field', 'do')
    );
  end if;
  select k.key into v_field from jsonb_object_keys(action) as k (key) where k.key <> 'do' and k.key <> all(v_fields) limit 1;
  if v_field is not null then
    perform office_internal.refuse(
      'unknown_field', format('"%s" has no field "%s".', action ->> 'do', v_field), 'Fields: ' || array_to_string(v_fields, ', ') || '.',
      jsonb_build_object('field', v_field)
    );
  end if;
  select 't' || t.number into v_own
  from office.attempts as a
  join office.runs as r on r.id = a.run_id
  join office.tasks as t on t.id = r.task_id
  where a.id = do_action.attempt_id;
  v_task := coalesce(action ->> 'task', v_own);
  if v_task is null and action ->> 'do' in ('comment', 'move', 'complete') then
    perform office_internal.refuse(
      'missing', 'Which task?', 'This run has none of its own; name one, as t97.', jsonb_build_object('field', 'task')
    );
  end if;
  case action ->> 'do'
    when 'comment' then
      perform office.add_comment(v_task, action ->> 'body');
    when 'move' then
      perform office.move_task(v_task, action ->> 'state');
    when 'complete' then
      perform office.complete_task(v_task, action ->> 'summary');
    when 'create-task' then
      perform office.create_task(
        action ->> 'title', coalesce(action ->> 'description', ''), action ->> 'assignee', null, v_own,
        array(
          select b.ref
          from jsonb_array_elements_text(
            case when jsonb_typeof(action -> 'blocked_by') = 'array' then action -> 'blocked_by' else '[]' end
          ) as b (ref)
        )
      );
    when 'wake-self' then
      perform office.wake(
        do_action.agent_id::text, 'self',
        jsonb_build_object('reason', action -> 'reason', 'payload', action -> 'payload', 'task_id', v_own)
      );
    when 'note-decision' then
      perform office.note_decision(action ->> 'decision');
  end case;
end
$$;

comment on function office_internal.do_action(jsonb, uuid, uuid) is 'Does what a run''s result asks for, as its agent.';
