-- office_internal.tell_answer: what an attempt asked, as it stands, for the program that asked: what has been decided counts as told, and
-- an answer that allows something once is spent by that (D6, D8). Null when another program of the attempt has spent it meanwhile.
-- Takes the gate when it is told for the first time.
create or replace function office_internal.tell_answer(asked office.decisions)
returns office.decision_reference
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_decision office.decisions;
  v_once boolean;
begin
  select * into v_decision
  from office.decisions as d
  where d.attempt_id = (asked).attempt_id and d.fingerprint = (asked).fingerprint and d.status <> 'void' and d.spent_at is null;
  if v_decision.id is null then
    return null;
  end if;
  v_once := v_decision.status = 'answered' and v_decision.kind in ('permission', 'publish') and v_decision.rule_id is null
    and office_internal.scope_of_choice(v_decision) = 'once';
  if v_decision.status <> 'pending' and (v_decision.told_at is null or v_once) then
    perform office_internal.take_gates(array[v_decision.workspace_id]);
    update office.decisions as d
    set told_at = coalesce(d.told_at, office_internal.wall_clock()), spent_at = case when v_once then office_internal.wall_clock() end
    where d.id = v_decision.id and d.status = v_decision.status and d.spent_at is null and (v_once or d.told_at is null);
    if v_once and not found then
      return null;
    end if;
  end if;
  return office_internal.decision_reference(v_decision.id);
end
$$;

comment on function office_internal.tell_answer(office.decisions) is 'Tells the program that asked how its request stands.';
