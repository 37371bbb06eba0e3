-- office_internal.keep_secret: gives a webhook its secret, made when none is given, and answers it: whoever sees this answer is the last
-- who does (R18). What is made serves as Standard Webhooks' secret, too. Refuses one of less than 16 bytes or more than 1000, with
-- spaces around it, and any for what is no signed webhook (invalid).
create or replace function office_internal.keep_secret(trigger_id uuid, given text)
returns text
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_secret text := coalesce(given, 'whsec_' || encode(
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64'
  ));
begin
  if not exists (
    select from office.routine_triggers as t where t.id = keep_secret.trigger_id and t.signing in ('bearer', 'hmac_sha256')
  ) then
    perform office_internal.refuse(
      'invalid', 'Only a signed webhook has a secret.', 'Signing: hmac_sha256 or bearer.', jsonb_build_object('field', 'secret')
    );
  end if;
  if octet_length(v_secret) not between 16 and 1000 or v_secret <> btrim(v_secret, E' \t\r\n') then
    perform office_internal.refuse(
      'invalid', 'A secret has 16 to 1000 bytes, and no space around it.', 'Give none, and one is made.',
      jsonb_build_object('field', 'secret')
    );
  end if;
  insert into office_internal.trigger_secrets (trigger_id, secret)
  values (keep_secret.trigger_id, v_secret)
  on conflict on constraint trigger_secrets_pkey do update
  set secret = excluded.secret, bad_since = null, bad_count = 0;
  return v_secret;
end
$$;

comment on function office_internal.keep_secret(uuid, text) is 'Stores a webhook''s secret and answers it.';
