-- office.ask: an agent asks a person, from inside its run, which then waits (D1, D9). choices as [{"id": "a", "text": "The first"}, …];
-- yes and no unless said. Asking the same thing twice for one attempt gives the first row, with its answer once there is one: so a
-- program that waits asks again. on_expire: what the run does when expires_after has passed: go_on (it is told) or fail.
-- Refuses people (forbidden), bad texts, choices and times (invalid), a run that is being stopped (conflict), an eleventh open request
-- (too_many). Takes the gate, but not to look at what it asked before.
create or replace function office.ask(
  prompt text,
  choices jsonb default null,
  expires_after interval default null,
  on_expire text default 'go_on'
)
returns office.decision_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_asked office.decisions;
  v_run office.runs;
begin
  v_asked := office_internal.read_question('question', prompt, choices, expires_after, on_expire);
  if not office_internal.was_asked(v_asked) then
    v_run := office_internal.take_attempt(v_asked.attempt_id);
    if v_run.status not in ('running', 'waiting') then
      perform office_internal.refuse(
        'conflict', format('r%s is %s: it asks nothing now.', v_run.number, v_run.status), 'End the program.',
        jsonb_build_object('run', 'r' || v_run.number, 'status', v_run.status)
      );
    end if;
    perform office_internal.store_question(v_asked);
    update office.runs as r set status = 'waiting' where r.id = v_run.id and r.status is not distinct from 'running';
  end if;
  return office_internal.tell_answer(v_asked);
end
$$;

comment on function office.ask(text, jsonb, interval, text)
is 'Asks a person from inside a run, which waits for the answer; asked again it gives the same request, with its answer.';
