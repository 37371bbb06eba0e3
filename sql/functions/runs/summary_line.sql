-- office_internal.summary_line: a text as one line of a summary: no line breaks, no marks of a heading at its start, and no more than so
-- many bytes, cut between characters and marked. Null when nothing is left of it.
create or replace function office_internal.summary_line(given text, bytes integer)
returns text
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  -- A book need not be read for its first line.
  v_line text := btrim(translate(left(given, bytes), E'\n\r\t\v\f', '     '), ' #');
begin
  if octet_length(v_line) > bytes or length(given) > bytes then
    v_line := office_internal.clip(v_line, bytes - 3) || '…';
  end if;
  return nullif(v_line, '');
end
$$;

comment on function office_internal.summary_line(text, integer) is 'A text as one line of at most so many bytes.';
