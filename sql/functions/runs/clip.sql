-- office_internal.clip: the longest beginning of a text that has at most so many bytes, cut between characters (C4).
create or replace function office_internal.clip(given text, bytes integer)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_bytes bytea;
  v_end integer := bytes;
begin
  if octet_length(given) <= bytes then
    return given;
  end if;
  v_bytes := convert_to(given, 'UTF8');
  -- A character begins where a byte is none that goes on.
  while get_byte(v_bytes, v_end) & 192 = 128 loop
    v_end := v_end - 1;
  end loop;
  return convert_from(substr(v_bytes, 1, v_end), 'UTF8');
end
$$;

comment on function office_internal.clip(text, integer) is 'The beginning of a text, of at most so many bytes.';
