-- office.update_trigger: changes a trigger; changes as {"expression": "0 8 * * *", "timezone": "Asia/Tokyo"}. A refused change leaves
-- the old one in force (R6). What changes its times is armed anew from now on.
-- Refuses agents (forbidden), unknown triggers (not_found), settings that its kind has not (unknown_field), and what making one would
-- (bad_cron, bad_timezone, invalid). Takes no gate.
create or replace function office.update_trigger(trigger text, changes jsonb)
returns office.trigger_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
  v_old office.routine_triggers;
  v_new office.routine_triggers;
  v_changes jsonb := changes;
  v_settings text[];
  v_field text;
  v_secret text;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_trigger(trigger);
  perform office_internal.check_object('changes', changes);
  select * into v_old from office.routine_triggers as t where t.id = v_id for no key update;
  v_settings := case v_old.kind
    when 'schedule' then array['expression', 'cron', 'timezone', 'enabled']
    when 'once' then array['fire_at', 'timezone', 'enabled']
    when 'webhook' then array['signing', 'secret', 'enabled']
    else array['enabled']
  end;
  select min(k.key) into v_field from jsonb_object_keys(changes) as k (key) where k.key <> all(v_settings);
  if v_field is not null then
    perform office_internal.refuse(
      'unknown_field', format('A %s trigger has no setting "%s".', v_old.kind, v_field),
      format('Settings: %s.', array_to_string(v_settings, ', ')), jsonb_build_object('field', v_field)
    );
  end if;
  -- The expression's other name.
  if changes ? 'cron' then
    v_changes := changes - 'cron' || jsonb_build_object('expression', coalesce(changes -> 'expression', changes -> 'cron'));
  end if;
  begin
    select * into v_new from jsonb_populate_record(v_old, v_changes - 'secret');
  exception when data_exception then
    perform office_internal.refuse(
      'invalid', 'A setting has the wrong type.', 'Texts, a time as 2026-03-01 09:00+01, on and off as true and false.',
      jsonb_build_object('field', 'changes')
    );
  end;
  update office.routine_triggers as t
  set expression = v_new.expression, timezone = coalesce(v_new.timezone, ''), fire_at = v_new.fire_at, signing = v_new.signing,
    enabled = coalesce(v_new.enabled, t.enabled)
  where t.id = v_id;
  if v_new.signing in ('bearer', 'hmac_sha256') and (
    changes ? 'secret' or not exists (select from office_internal.trigger_secrets as s where s.trigger_id = v_id)
  ) then
    v_secret := office_internal.keep_secret(v_id, changes ->> 'secret');
  elsif changes ? 'secret' then
    perform office_internal.keep_secret(v_id, changes ->> 'secret');
  end if;
  return office_internal.trigger_card(v_id, v_secret);
end
$$;

comment on function office.update_trigger(text, jsonb) is 'Changes a trigger: {"expression": …, "timezone": …}.';
