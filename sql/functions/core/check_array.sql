-- office_internal.check_array: refuses JSON that is not an array of objects (invalid), naming the argument.
create or replace function office_internal.check_array(field text, given jsonb)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if jsonb_typeof(given) is distinct from 'array' or jsonb_path_exists(given, 'strict $[*] ? (@.type() != "object")', silent => true) then
    perform office_internal.refuse(
      'invalid', format('%s must be a JSON array of objects.', field), 'As [{"name": "value"}, …].',
      jsonb_build_object('field', field)
    );
  end if;
end
$$;

comment on function office_internal.check_array(text, jsonb) is 'Refuses JSON that is not an array of objects.';
