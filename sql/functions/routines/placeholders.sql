-- office_internal.placeholders: the names that a text holds as {{name}}, each once, but for those that the office fills in itself (R16).
create or replace function office_internal.placeholders(given text)
returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return array(
    select distinct m.found[1] as name
    from regexp_matches(given, '\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,62})\s*\}\}', 'g') as m (found)
    where m.found[1] not in ('date', 'datetime')
    order by name
  );
end
$$;

comment on function office_internal.placeholders(text) is 'Names of the variables that a text asks for.';
