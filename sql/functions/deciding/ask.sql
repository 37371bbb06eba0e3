-- office.ask: an agent asks a person, from inside its run, which then waits (D1, D9). kind: question; permission, before it uses a tool;
-- publish, before it gives something out. Those two name the operation, and the working tree they were asked in: with another tree the
-- answer is void, and it is asked anew (D2).
-- choices as [{"id": "a", "text": "The first"}, …], by kind unless said. A choice of a permission may say what it counts for, "scope":
-- once, session or always, and one without a scope allows nothing. What an earlier answer covers is answered at once (D8). What counts
-- once is spent when it is given out, and then asked anew (D6).
-- Asking the same thing twice for one attempt gives the first row, with its answer once there is one: so a program that waits asks again.
-- on_expire: what the run does when expires_after has passed: go_on (it is told) or fail.
-- Refuses people (forbidden), bad texts, choices, times, operations (invalid), a run that is being stopped (conflict), an eleventh open
-- request (too_many). Takes the gate, but not to look at what it asked before and is open.
create or replace function office.ask(
  prompt text,
  choices jsonb default null,
  expires_after interval default null,
  on_expire text default 'go_on',
  kind text default 'question',
  operation jsonb default null,
  tree text default null
)
returns office.decision_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_asked office.decisions;
  v_run office.runs;
  v_answer office.decision_reference;
begin
  if ask.kind is null or ask.kind not in ('question', 'permission', 'publish') then
    perform office_internal.refuse(
      'invalid', format('Nothing is asked as "%s".', coalesce(ask.kind, '')), 'question, permission or publish.',
      jsonb_build_object('field', 'kind', 'given', ask.kind)
    );
  end if;
  v_asked := office_internal.read_question(kind, prompt, choices, expires_after, on_expire);
  v_asked := office_internal.read_operation(v_asked, operation, tree);
  loop
    if not office_internal.was_asked(v_asked) then
      v_run := office_internal.take_attempt(v_asked.attempt_id);
      if v_run.status not in ('running', 'waiting') then
        perform office_internal.refuse(
          'conflict', format('r%s is %s: it asks nothing now.', v_run.number, v_run.status), 'End the program.',
          jsonb_build_object('run', 'r' || v_run.number, 'status', v_run.status)
        );
      end if;
      perform office_internal.void_outdated(v_asked);
      perform office_internal.store_question(v_asked);
      update office.runs as r
      set status = 'waiting'
      where r.id = v_run.id and r.status is not distinct from 'running'
        and exists (select from office.decisions as d where d.id = v_asked.id and d.status = 'pending');
    end if;
    v_answer := office_internal.tell_answer(v_asked);
    exit when v_answer.decision_id is not null;
    -- Somebody else of this attempt has spent the answer meanwhile.
    v_asked.id := office.uuid7();
  end loop;
  return v_answer;
end
$$;

comment on function office.ask(text, jsonb, interval, text, text, jsonb, text)
is 'Asks a person from inside a run, which waits for the answer; asked again it gives the same request, with its answer.';
