-- office_internal.fill_in: a text with its {{name}} replaced by values. A name without a value stays as it is, and what a value holds
-- is data: not looked at again (R16).
create or replace function office_internal.fill_in(given text, values_given jsonb)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_pattern constant text := '\{\{\s*(?:[A-Za-z_][A-Za-z0-9_]{0,62})\s*\}\}';
begin
  if (position('{{' in given) > 0) is not true then
    return given;
  end if;
  return (
    select string_agg(p.piece || coalesce(values_given ->> btrim(f.found, E'{} \t\r\n'), f.found, ''), '' order by p.nth)
    from regexp_split_to_table(given, v_pattern) with ordinality as p (piece, nth)
    left join (
      select m.found[1] as found, m.nth
      from regexp_matches(given, '(' || v_pattern || ')', 'g') with ordinality as m (found, nth)
    ) as f on f.nth = p.nth
  );
end
$$;

comment on function office_internal.fill_in(text, jsonb) is 'A text with its placeholders filled in.';
