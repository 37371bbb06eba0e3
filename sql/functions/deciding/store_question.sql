-- office_internal.store_question: stores what an attempt asks, unless it has meanwhile; a permission that a rule covers with its answer
-- (D8). Refuses an eleventh open request of one attempt (too_many). The caller holds the gate.
create or replace function office_internal.store_question(asked office.decisions)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_rule office.permission_rules;
begin
  if office_internal.was_asked(asked) then
    return;
  end if;
  if (select count(*) >= 10 from office.decisions as d where d.attempt_id = (asked).attempt_id and d.status = 'pending') then
    perform office_internal.refuse('too_many', 'Ten requests of this attempt are open already.', 'Wait for an answer.');
  end if;
  if (asked).kind = 'permission' then
    v_rule := office_internal.rule_for(asked);
  end if;
  insert into office.decisions (
    id, workspace_id, kind, subject, agent_id, task_id, run_id, attempt_id, prompt, choices, fingerprint, asked_at, expires_at, on_expire,
    operation, operation_digest, tree, checkpoint_id, rule_id, status, choice, decided_at
  )
  values (
    (asked).id, (asked).workspace_id, (asked).kind, (asked).subject, (asked).agent_id, (asked).task_id, (asked).run_id,
    (asked).attempt_id, (asked).prompt, (asked).choices, (asked).fingerprint, (asked).asked_at, (asked).expires_at, (asked).on_expire,
    (asked).operation, (asked).operation_digest, (asked).tree, (asked).checkpoint_id, v_rule.id,
    case when v_rule.id is null then 'pending' else 'answered' end, v_rule.choice, case when v_rule.id is not null then (asked).asked_at end
  );
end
$$;

comment on function office_internal.store_question(office.decisions) is 'Stores what an attempt asks, once.';
