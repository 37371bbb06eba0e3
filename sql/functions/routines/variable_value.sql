-- office_internal.variable_value: what a declared variable becomes of what was given: of its type, and for select among its options;
-- null when it cannot be that. From outside, numbers and booleans may come as their text (R16).
create or replace function office_internal.variable_value(declaration jsonb, given jsonb, from_outside boolean)
returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_text text := given #>> '{}';
begin
  return case declaration ->> 'type'
    when 'number' then case
      when jsonb_typeof(given) = 'number' then given
      when from_outside and jsonb_typeof(given) = 'string' and v_text ~ '^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?$' then v_text::jsonb
    end
    when 'boolean' then case
      when jsonb_typeof(given) = 'boolean' then given
      when from_outside and jsonb_typeof(given) = 'string' and v_text in ('true', 'false') then v_text::jsonb
    end
    when 'select' then case when jsonb_typeof(given) = 'string' and declaration -> 'options' ? v_text then given end
    else case when jsonb_typeof(given) = 'string' then given end
  end;
end
$$;

comment on function office_internal.variable_value(jsonb, jsonb, boolean)
is 'A value as a variable''s type has it; null when it cannot be.';
