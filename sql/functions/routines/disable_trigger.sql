-- office.disable_trigger: stops a trigger from firing, until office.enable_trigger. Again: a no-op.
-- Refuses agents (forbidden), unknown triggers (not_found). Takes no gate.
create or replace function office.disable_trigger(trigger text)
returns office.trigger_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_trigger(trigger);
  update office.routine_triggers as t set enabled = false where t.id = v_id and t.enabled <> false;
  return office_internal.trigger_card(v_id);
end
$$;

comment on function office.disable_trigger(text) is 'Stops a trigger from firing.';
