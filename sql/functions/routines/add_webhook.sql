-- office.add_webhook: fires a routine by POST /api/routine-triggers/<public_id>/fire (R18). Answers with the public id and the secret:
-- shown this once. Without a secret one is made. Signing: hmac_sha256, bearer, or none.
-- Refuses agents (forbidden), unknown routines (not_found), archived ones (routine_inactive), other signing, a secret of less than 16
-- bytes, and one where nothing is signed (invalid). Takes no gate.
create or replace function office.add_webhook(routine text, signing text default 'hmac_sha256', secret text default null)
returns office.trigger_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_made office.trigger_reference;
begin
  perform office_internal.need_person();
  v_made := office_internal.add_trigger(routine, jsonb_build_object('kind', 'webhook', 'signing', coalesce(signing, '')));
  if signing = 'none' and secret is null then
    return v_made;
  end if;
  return office_internal.trigger_card(v_made.trigger_id, office_internal.keep_secret(v_made.trigger_id, secret));
end
$$;

comment on function office.add_webhook(text, text, text) is 'Fires a routine by a webhook; the secret is shown once.';
