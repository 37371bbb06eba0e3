-- office_internal.name_taken: refuses a name that is in use (name_taken).
create or replace function office_internal.name_taken(noun text, given text)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.refuse(
    'name_taken', format('The %s name "%s" is in use.', noun, given), 'Choose another name.',
    jsonb_build_object('field', 'name', 'given', given)
  );
end
$$;

comment on function office_internal.name_taken(text, text) is 'Refuses a name that is in use.';
