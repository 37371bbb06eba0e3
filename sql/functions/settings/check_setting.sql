-- office_internal.check_setting: refuses an unknown key (not_found), a scope it has not, a value of the wrong type or
-- out of range (invalid). The trigger of office.settings calls it, so a plain UPDATE meets it too (J4).
create or replace function office_internal.check_setting(key text, scope text, value text)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_definition office.setting_definitions;
  v_fits boolean;
begin
  select * into v_definition from office.setting_definitions as d where d.key = check_setting.key;
  if not found then
    perform office_internal.not_found(
      'setting', check_setting.key, (select array_agg(d.key) from office.setting_definitions as d),
      'select key, meaning from office.setting_definitions; lists them.'
    );
  end if;
  if not check_setting.scope = any(v_definition.scopes) then
    perform office_internal.refuse(
      'invalid',
      format('%s is not set per %s.', check_setting.key, check_setting.scope),
      format('It is set for: %s.', array_to_string(v_definition.scopes, ', ')),
      jsonb_build_object('field', 'scope', 'given', check_setting.scope)
    );
  end if;
  v_fits := case v_definition.value_type
    when 'integer' then check_setting.value ~ '^-?[0-9]{1,10}$'
    when 'boolean' then check_setting.value in ('on', 'off')
    else v_definition.choices is null or check_setting.value = any(v_definition.choices)
  end;
  if v_fits and v_definition.value_type = 'integer' then
    v_fits := check_setting.value::bigint between v_definition.minimum and v_definition.maximum;
  end if;
  if v_fits is not true then
    perform office_internal.refuse(
      'invalid',
      format('%s cannot be "%s".', check_setting.key, check_setting.value),
      case v_definition.value_type
        when 'integer' then format('A whole number from %s to %s.', v_definition.minimum, v_definition.maximum)
        when 'boolean' then 'on or off.'
        else format('One of: %s.', array_to_string(v_definition.choices, ', '))
      end,
      jsonb_build_object('field', check_setting.key, 'given', check_setting.value)
    );
  end if;
end
$$;

comment on function office_internal.check_setting(text, text, text) is 'Refuses a setting that is unknown, misplaced or out of range.';
