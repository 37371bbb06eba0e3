-- office.answer: decides (D3). The first answer wins: what is no longer open says why. An answer to the last open request of a run lets
-- it go on; one to an approval wakes the agent that asked; one to an interrupted run retries or drops it. The decisions' triggers refuse
-- and do all that, for a plain UPDATE as well.
-- Refuses unknown decisions (not_found), callers who may not (forbidden), a choice that is none (invalid), what was decided, ended,
-- expired or is void (already_answered, request_ended, request_expired, request_void).
-- Takes the gate, then the run, then the decision.
create or replace function office.answer(decision text, choice text, note text default null, through text default 'sql')
returns office.decision_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
  v_decision office.decisions;
begin
  perform office_internal.caller();
  select * into v_me from office_internal.identity();
  select * into v_decision from office.decisions as d where d.id = office_internal.find_decision(decision);
  perform office_internal.need_answerer(v_decision);
  if answer.through is null or answer.through not in ('web', 'phone', 'cli', 'node', 'sql') or length(answer.note) > 2000 then
    perform office_internal.refuse(
      'invalid', 'through is web, phone, cli, node or sql, and a note has at most 2000 characters.', 'Leave them out.',
      jsonb_build_object('field', case when length(answer.note) > 2000 then 'note' else 'through' end)
    );
  end if;
  perform office_internal.take_gates(array[v_decision.workspace_id]);
  perform from office.runs as r where r.id = v_decision.run_id for no key update;
  update office.decisions as d
  set status = 'answered', choice = coalesce(answer.choice, ''), note = answer.note, decided_at = office_internal.wall_clock(),
    decided_by_account_id = v_me.account_id, decided_by_agent_id = v_me.agent_id, through = answer.through
  where d.id = v_decision.id and d.status is not distinct from 'pending';
  if not found then
    select * into v_decision from office.decisions as d where d.id = v_decision.id;
    perform office_internal.need_open(v_decision, office_internal.wall_clock());
  end if;
  return office_internal.decision_reference(v_decision.id);
end
$$;

comment on function office.answer(text, text, text, text) is 'Answers a decision (d12) by one of its choices; the first answer wins.';
