-- office_internal.read_question: what the calling agent asks, checked and completed, as the row that it will be.
-- Refuses people (forbidden); texts, choices and times that cannot be (invalid).
create or replace function office_internal.read_question(
  kind text,
  prompt text,
  choices jsonb,
  expires_after interval,
  on_expire text
)
returns office.decisions
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
  v_asked office.decisions;
  v_now timestamptz := office_internal.wall_clock();
begin
  perform office_internal.caller();
  select * into v_me from office_internal.identity();
  if v_me.attempt_id is null then
    perform office_internal.refuse(
      'forbidden', 'Only an agent asks, from inside its run.', 'A person answers: select * from office.needs_me;'
    );
  end if;
  if btrim(coalesce(prompt, '')) = '' or length(prompt) > 8000 then
    perform office_internal.refuse(
      'invalid', 'What is asked is a text of 1 to 8000 characters.', 'Say what is to be decided.', jsonb_build_object('field', 'prompt')
    );
  end if;
  if expires_after <= interval '0' or expires_after > interval '1 year' then
    perform office_internal.refuse(
      'invalid', 'A request waits for up to a year.', 'As ''24 hours''; null waits for ever.', jsonb_build_object('field', 'expires_after')
    );
  end if;
  if on_expire is null or on_expire not in ('go_on', 'fail') then
    perform office_internal.refuse(
      'invalid', 'on_expire is go_on or fail.', 'go_on unless said.', jsonb_build_object('field', 'on_expire')
    );
  end if;
  select r.workspace_id, r.agent_id, r.task_id, r.id, v_me.attempt_id
  into v_asked.workspace_id, v_asked.agent_id, v_asked.task_id, v_asked.run_id, v_asked.attempt_id
  from office.attempts as a
  join office.runs as r on r.id = a.run_id
  where a.id = v_me.attempt_id;
  v_asked.id := office.uuid7();
  v_asked.kind := read_question.kind;
  v_asked.prompt := read_question.prompt;
  v_asked.choices := office_internal.read_choices(read_question.choices, kind);
  v_asked.fingerprint := sha256(convert_to(concat_ws(' ', kind, v_asked.choices, prompt), 'UTF8'));
  v_asked.asked_at := v_now;
  v_asked.expires_at := v_now + expires_after;
  v_asked.on_expire := read_question.on_expire;
  return v_asked;
end
$$;

comment on function office_internal.read_question(text, text, jsonb, interval, text) is 'What an agent asks, as the row that it will be.';
