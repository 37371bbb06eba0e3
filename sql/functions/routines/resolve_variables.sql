-- office_internal.resolve_variables: the values with which a routine fires: declared defaults, then what was given (R16). Refuses
-- (bad_variables), naming the variable, a wrong type, a value that a select does not offer, a required one that is missing, and, unless
-- they come from outside, names that are not declared. What is null is not given.
create or replace function office_internal.resolve_variables(variables jsonb, given jsonb, from_outside boolean)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_given jsonb := jsonb_strip_nulls(given);
  v_resolved jsonb := '{}'::jsonb;
  v_variable record;
  v_value jsonb;
  v_name text;
begin
  if not from_outside then
    select min(k.key) into v_name
    from jsonb_object_keys(v_given) as k (key)
    where not variables ? k.key and k.key not in ('date', 'datetime');
    if v_name is not null then
      perform office_internal.refuse(
        'bad_variables', format('The routine has no variable "%s".', v_name),
        coalesce(
          (select 'Variables: ' || string_agg(k.key, ', ' order by k.key) || '.' from jsonb_object_keys(variables) as k (key)),
          'It has none.'
        ),
        jsonb_build_object('field', v_name)
      );
    end if;
  end if;
  for v_variable in
    select v.key as name, v.value as declaration
    from jsonb_each(variables) as v
    union all
    select b.name, '{"type": "text"}' from unnest(array['date', 'datetime']) as b (name) where v_given ? b.name and not from_outside
  loop
    v_value := v_variable.declaration -> 'default';
    if v_given ? v_variable.name then
      v_value := office_internal.variable_value(v_variable.declaration, v_given -> v_variable.name, from_outside);
      if v_value is null then
        perform office_internal.refuse(
          'bad_variables', format('Variable %s cannot be that.', v_variable.name),
          case when v_variable.declaration ->> 'type' = 'select'
            then format('One of: %s.', (
              select string_agg(o.option, ', ') from jsonb_array_elements_text(v_variable.declaration -> 'options') as o (option)
            ))
            else format('It is a %s.', v_variable.declaration ->> 'type') end,
          jsonb_build_object('field', v_variable.name)
        );
      end if;
    elsif v_value is null and v_variable.declaration -> 'required' = 'true' then
      perform office_internal.refuse(
        'bad_variables', format('Variable %s is missing.', v_variable.name), format('It is a %s.', v_variable.declaration ->> 'type'),
        jsonb_build_object('field', v_variable.name)
      );
    end if;
    if v_value is not null then
      v_resolved := v_resolved || jsonb_build_object(v_variable.name, v_value);
    end if;
  end loop;
  return v_resolved;
end
$$;

comment on function office_internal.resolve_variables(jsonb, jsonb, boolean) is 'Values of a fire: defaults, then what was given.';
