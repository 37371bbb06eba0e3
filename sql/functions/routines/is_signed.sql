-- office_internal.is_signed: whether a webhook's call is its sender's (R18). headers by lower-case names. bearer: Authorization: Bearer
-- with the secret. hmac_sha256: X-Signature-256 or X-Hub-Signature-256, sha256=<hex> of the raw body; or the Standard Webhooks headers,
-- whose time may be five minutes off.
create or replace function office_internal.is_signed(signing text, secret text, headers jsonb, body bytea)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_raw bytea := convert_to(secret, 'UTF8');
  v_key bytea := v_raw;
  v_bare text := regexp_replace(secret, '^whsec_', '');
  v_given text := coalesce(headers ->> 'x-signature-256', headers ->> 'x-hub-signature-256');
  v_time text := headers ->> 'webhook-timestamp';
  v_expected bytea;
begin
  if signing = 'none' then
    return true;
  elsif secret is null then
    return false;
  elsif signing = 'bearer' then
    return (headers ->> 'authorization') ~* '^bearer '
      and office_internal.same_secret(convert_to(btrim(substr(headers ->> 'authorization', 8)), 'UTF8'), v_raw);
  elsif v_given is not null then
    return v_given ~* '^sha256=[0-9a-f]{64}$'
      and office_internal.same_secret(decode(substr(v_given, 8), 'hex'), office_internal.hmac_sha256(body, v_raw));
  elsif headers ->> 'webhook-id' is null or v_time is null or v_time !~ '^[0-9]{1,12}$' or headers ->> 'webhook-signature' is null
    or abs(extract(epoch from office_internal.wall_clock()) - v_time::bigint) > 300
  then
    return false;
  end if;
  -- Such a secret is base64, its prefix aside.
  if v_bare ~ '^[A-Za-z0-9+/]+={0,2}$' and length(v_bare) % 4 = 0 then
    v_key := decode(v_bare, 'base64');
  end if;
  v_expected := office_internal.hmac_sha256(convert_to((headers ->> 'webhook-id') || '.' || v_time || '.', 'UTF8') || body, v_key);
  -- Several, when its sender rotates.
  return coalesce((
    select bool_or(office_internal.same_secret(decode(substr(s.signature, 4), 'base64'), v_expected))
    from regexp_split_to_table(left(headers ->> 'webhook-signature', 2000), ' ') as s (signature)
    where s.signature ~ '^v1,[A-Za-z0-9+/]{43}=$'
  ), false);
end
$$;

comment on function office_internal.is_signed(text, text, jsonb, bytea) is 'Whether a webhook''s call is signed as it must be.';
