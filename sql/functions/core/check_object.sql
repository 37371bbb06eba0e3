-- office_internal.check_object: refuses JSON that is not an object (invalid), naming the argument.
create or replace function office_internal.check_object(field text, given jsonb)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if jsonb_typeof(given) is distinct from 'object' then
    perform office_internal.refuse(
      'invalid',
      format('%s must be a JSON object, not %s.', field, coalesce(jsonb_typeof(given), 'null')),
      'As {"name": "value"}.',
      jsonb_build_object('field', field)
    );
  end if;
end
$$;

comment on function office_internal.check_object(text, jsonb) is 'Refuses JSON that is not an object.';
