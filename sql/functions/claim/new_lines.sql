-- office_internal.new_lines: what of a paragraph an engine session has not been told (C2): a fenced text that stands in what it was
-- told is left out; of a list, the lines that are as they were last told. Null when nothing is left.
create or replace function office_internal.new_lines(part text, past text)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_new text;
begin
  if part like '```%' then
    return case when position(part in past) = 0 then part end;
  end if;
  -- How a thing stood is what was told of it last: a line begins with what it is about.
  select string_agg(l.line, E'\n' order by l.nth) into v_new
  from string_to_table(part, E'\n') with ordinality as l (line, nth)
  cross join lateral (select E'\n' || coalesce(substring(l.line from '^[^,:]+[,:]'), l.line) as about) as a
  where right(l.line, 1) = ':'
    or position(a.about in past) = 0
    or split_part(a.about || split_part(past, a.about, -1), E'\n', 2) <> l.line;
  return case when v_new !~ ':$' then v_new end;
end
$$;

comment on function office_internal.new_lines(text, text) is 'What of a paragraph was not told before.';
