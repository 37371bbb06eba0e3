-- office_internal.check_name: refuses a name that could be taken for something else (invalid).
create or replace function office_internal.check_name(noun text, given text)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if given is null or given !~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' or office_internal.is_uuid(given)
    or lower(given) in ('everything', 'office') or given ~* '^[tr][0-9]+$'
  then
    perform office_internal.refuse(
      'invalid',
      format('"%s" cannot be used as %s name.', given, noun),
      'A name has letters, digits, dot, dash and underscore, is at most 63 long, and is no number of a task or run.',
      jsonb_build_object('field', 'name', 'given', given)
    );
  end if;
end
$$;

comment on function office_internal.check_name(text, text) is 'Refuses what cannot be a name.';
