-- office_internal.hmac_sha256: RFC 2104 over the core's sha256, so that a signature is checked without any extension (R18, A10).
create or replace function office_internal.hmac_sha256(message bytea, key bytea)
returns bytea
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_key bytea := case when octet_length(key) > 64 then sha256(key) else key end;
  v_inner bytea := decode(repeat('36', 64), 'hex');
  v_outer bytea := decode(repeat('5c', 64), 'hex');
begin
  for v_byte in 0..octet_length(v_key) - 1 loop
    v_inner := set_byte(v_inner, v_byte, get_byte(v_key, v_byte) # 54);
    v_outer := set_byte(v_outer, v_byte, get_byte(v_key, v_byte) # 92);
  end loop;
  return sha256(v_outer || sha256(v_inner || message));
end
$$;

comment on function office_internal.hmac_sha256(bytea, bytea) is 'Keyed hash of a message.';
