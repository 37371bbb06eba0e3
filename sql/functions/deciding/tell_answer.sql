-- office_internal.tell_answer: what an attempt asked, as it stands, for the program that asked: what has been decided counts as told.
-- Takes the gate when it is told for the first time.
create or replace function office_internal.tell_answer(asked office.decisions)
returns office.decision_reference
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_decision office.decisions;
begin
  select * into v_decision
  from office.decisions as d
  where d.attempt_id = (asked).attempt_id and d.fingerprint = (asked).fingerprint and d.status <> 'void';
  if v_decision.status <> 'pending' and v_decision.told_at is null then
    perform office_internal.take_gates(array[v_decision.workspace_id]);
    update office.decisions as d
    set told_at = office_internal.wall_clock()
    where d.id = v_decision.id and d.told_at is null;
  end if;
  return office_internal.decision_reference(v_decision.id);
end
$$;

comment on function office_internal.tell_answer(office.decisions) is 'Tells the program that asked how its request stands.';
