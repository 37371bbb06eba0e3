-- office_internal.refuse_value: a value that a table's constraint would not take, said as one refusal (invalid) that names
-- the field: the constraint's own error is not for people.
create or replace function office_internal.refuse_value(table_name text, constraint_name text)
returns void
language plpgsql stable
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_field text := regexp_replace(regexp_replace(constraint_name, '^' || table_name || '_', ''), '_check[0-9]*$', '');
begin
  perform office_internal.refuse(
    'invalid',
    format('The value of %s cannot be that.', v_field),
    coalesce(
      (
        select pg_get_constraintdef(c.oid)
        from pg_constraint as c
        join pg_namespace as n on n.oid = c.connamespace
        where n.nspname = 'office' and c.conname = refuse_value.constraint_name
      ),
      'It may not be null.'
    ),
    jsonb_build_object('field', v_field)
  );
end
$$;

comment on function office_internal.refuse_value(text, text) is 'Turns a violated constraint into a refusal that names the field.';
