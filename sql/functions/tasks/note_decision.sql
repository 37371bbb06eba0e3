-- office.note_decision: an agent notes what it decided; a row of activity. Refuses people (forbidden) and an empty text.
create or replace function office.note_decision(decision text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
begin
  perform office_internal.caller();
  select * into v_me from office_internal.identity();
  if v_me.agent_id is null then
    perform office_internal.refuse('forbidden', 'Only an agent notes decisions, from inside its run.', 'A person comments on the task.');
  end if;
  if coalesce(decision, '') = '' or length(decision) > 4000 then
    perform office_internal.refuse(
      'invalid', 'A decision is a text of 1 to 4000 characters.', 'Say it in a sentence.', jsonb_build_object('field', 'decision')
    );
  end if;
  perform office_internal.remember(
    r.workspace_id, 'decision_noted', jsonb_build_object('decision', decision), null, v_me.agent_id, r.task_id, r.id, v_me.attempt_id
  )
  from office.attempts as a
  join office.runs as r on r.id = a.run_id
  where a.id = v_me.attempt_id;
end
$$;

comment on function office.note_decision(text) is 'Notes a decision of the calling agent.';
