-- office_internal.read_variables: declarations of variables, checked and completed (R16): {"name": {"type", "default", "required",
-- "options"}}. Refuses what is none: names (invalid), unknown settings (unknown_field), types, options, defaults (invalid).
create or replace function office_internal.read_variables(given jsonb)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_variable record;
  v_wrong text;
  v_read jsonb := '{}'::jsonb;
  v_declaration jsonb;
begin
  perform office_internal.check_object('variables', given);
  for v_variable in select v.key as name, v.value as declaration from jsonb_each(given) as v order by v.key loop
    v_wrong := null;
    if v_variable.name !~ '^[A-Za-z_][A-Za-z0-9_]{0,62}$' then
      v_wrong := 'A variable''s name has letters, digits and underscores, and no digit first.';
    elsif v_variable.name in ('date', 'datetime') then
      v_wrong := 'date and datetime are filled in by the office.';
    elsif jsonb_typeof(v_variable.declaration) <> 'object' then
      v_wrong := 'It is declared as {"type": "text", "default": "…", "required": false}.';
    elsif v_variable.declaration - '{type,default,required,options}'::text[] <> '{}' then
      perform office_internal.refuse(
        'unknown_field',
        format(
          'Variable %s has no setting "%s".', v_variable.name,
          (select min(k.key) from jsonb_object_keys(v_variable.declaration - '{type,default,required,options}'::text[]) as k (key))
        ),
        'Settings: type, default, required, options.', jsonb_build_object('field', 'variables.' || v_variable.name)
      );
    end if;
    v_declaration := '{"type": "text", "required": false}'::jsonb || jsonb_strip_nulls(
      case when v_wrong is null then v_variable.declaration else '{}' end
    );
    if v_wrong is null and v_declaration -> 'type' not in ('"text"', '"number"', '"boolean"', '"select"') then
      v_wrong := 'Types: text, number, boolean, select.';
    elsif v_wrong is null and jsonb_typeof(v_declaration -> 'required') <> 'boolean' then
      v_wrong := 'required is true or false.';
    elsif v_wrong is null and (v_declaration ->> 'type' = 'select') is distinct from coalesce(
      jsonb_typeof(v_declaration -> 'options') = 'array' and v_declaration -> 'options' <> '[]'
      and not jsonb_path_exists(v_declaration, '$.options[*] ? (@.type() != "string")'),
      v_declaration ? 'options'
    ) then
      v_wrong := 'A select, and no other, has options: ["a", "b"].';
    elsif v_wrong is null and v_declaration ? 'default'
      and office_internal.variable_value(v_declaration, v_declaration -> 'default', false) is null
    then
      v_wrong := format('The default is not one of type %s.', v_declaration ->> 'type');
    end if;
    if v_wrong is not null then
      perform office_internal.refuse(
        'invalid', format('Variable "%s" cannot be declared so.', v_variable.name), v_wrong,
        jsonb_build_object('field', 'variables.' || v_variable.name)
      );
    end if;
    v_read := v_read || jsonb_build_object(v_variable.name, v_declaration);
  end loop;
  return v_read;
end
$$;

comment on function office_internal.read_variables(jsonb) is 'Declarations of variables, checked and completed.';
