-- office.enable_trigger: lets a trigger fire again, from now on; what it missed meanwhile is not caught up. Again: a no-op.
-- Refuses agents (forbidden), unknown triggers (not_found), one that would never fire (invalid), an archived routine's
-- (routine_inactive). Takes no gate.
create or replace function office.enable_trigger(trigger text)
returns office.trigger_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_trigger(trigger);
  update office.routine_triggers as t set enabled = true where t.id = v_id and t.enabled <> true;
  return office_internal.trigger_card(v_id);
end
$$;

comment on function office.enable_trigger(text) is 'Lets a trigger fire again.';
