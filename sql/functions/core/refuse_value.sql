-- office_internal.refuse_value: a value that a table's constraint would not take, said as one refusal (invalid) that names
-- the field: the constraint's own error is not for people. A column that may not be null has a name of its own only.
create or replace function office_internal.refuse_value(table_name text, constraint_name text, column_name text default '')
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_field text := coalesce(
    nullif(column_name, ''), regexp_replace(regexp_replace(constraint_name, '^' || table_name || '_', ''), '_check[0-9]*$', '')
  );
begin
  perform office_internal.refuse(
    'invalid',
    format('The value of %s cannot be that.', v_field),
    coalesce(
      -- What the column's comment says of its values is what a person can use.
      (
        select col_description(a.attrelid, a.attnum)
        from pg_attribute as a
        where a.attrelid = format('office.%I', refuse_value.table_name)::regclass and a.attname = v_field
          and refuse_value.column_name = ''
      ),
      'It may not be null.'
    ),
    jsonb_build_object('field', v_field)
  );
end
$$;

comment on function office_internal.refuse_value(text, text, text) is 'Turns a violated constraint into a refusal that names the field.';
