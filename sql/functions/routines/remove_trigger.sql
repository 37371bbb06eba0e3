-- office.remove_trigger: takes a trigger away, and its secret; what it has fired stays on record.
-- Refuses agents (forbidden), unknown triggers (not_found). Takes no gate.
create or replace function office.remove_trigger(trigger text)
returns office.trigger_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
  v_card office.trigger_reference;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_trigger(trigger);
  v_card := office_internal.trigger_card(v_id);
  delete from office.routine_triggers as t where t.id = v_id;
  return v_card;
end
$$;

comment on function office.remove_trigger(text) is 'Removes a trigger.';
