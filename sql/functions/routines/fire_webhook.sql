-- office.fire_webhook: the whole rule of POST /api/routine-triggers/<public_id>/fire (R18); whoever serves HTTP passes on what came, and
-- answers with status and answer. In this order: the trigger (404), whether it is enabled (409), the body's size (413), the signature
-- (401; 429 while too many were bad), the routine (409), the body (400), the variables (422); then 202 with the routine run. The same
-- Idempotency-Key again, or the same signed Webhook-Id: the first answer, 200.
-- Raises nothing that a caller could cause, so that counts of bad signatures are kept. Takes no gate; waits for another fire of the
-- same routine.
create or replace function office.fire_webhook(public_id text, headers jsonb, body bytea)
returns table (status integer, answer jsonb)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_most constant integer := 10;
  v_now timestamptz := office_internal.wall_clock();
  v_headers jsonb := coalesce((
    select jsonb_object_agg(lower(h.key), h.value)
    from jsonb_each_text(case when jsonb_typeof(fire_webhook.headers) = 'object' then fire_webhook.headers else '{}' end) as h
  ), '{}');
  v_body bytea := coalesce(fire_webhook.body, '');
  v_trigger office.routine_triggers;
  v_secret office_internal.trigger_secrets;
  v_routine office.routines;
  v_given jsonb;
  v_key text;
  v_run office.routine_runs;
  v_fire office_internal.fire;
  v_state text;
  v_message text;
  v_detail text;
  v_hint text;
begin
  begin
    select t.* into v_trigger
    from office.routine_triggers as t
    join office.routines as r on r.id = t.routine_id and r.deleted_at is null
    where t.public_id = fire_webhook.public_id;
    if v_trigger.id is null then
      perform office_internal.refuse('not_found', 'No such trigger.', 'Look at the address again.');
    elsif not v_trigger.enabled then
      perform office_internal.refuse('trigger_disabled', 'The trigger is disabled.', 'Its owner can enable it.');
    elsif octet_length(v_body) > 262144 then
      perform office_internal.refuse('body_too_large', 'The body is larger than 256 KiB.', 'Send less, or a link.');
    end if;
    select s.* into v_secret from office_internal.trigger_secrets as s where s.trigger_id = v_trigger.id;
    if v_secret.bad_count >= v_most and v_secret.bad_since > v_now - interval '1 minute' then
      perform office_internal.refuse(
        'too_many_attempts', 'Too many bad signatures in the last minute.', 'Try again in a minute.', '{"retry_after": 60}'
      );
    end if;
  exception when others then
    get stacked diagnostics v_state = returned_sqlstate, v_message = message_text, v_detail = pg_exception_detail,
      v_hint = pg_exception_hint;
  end;
  if v_state is null and not office_internal.is_signed(v_trigger.signing, v_secret.secret, v_headers, v_body) then
    update office_internal.trigger_secrets as s
    set bad_count = case when s.bad_since > v_now - interval '1 minute' then s.bad_count + 1 else 1 end,
      bad_since = case when s.bad_since > v_now - interval '1 minute' then s.bad_since else v_now end
    where s.trigger_id = v_trigger.id;
    return query
      select
        401, jsonb_build_object('code', 'bad_signature', 'message', 'The signature is not this trigger''s.', 'hint', case v_trigger.signing
          when 'bearer' then 'Authorization: Bearer SECRET'
          else 'X-Signature-256: sha256=HEX, the HMAC of the raw body; or the Standard Webhooks headers.' end);
    return;
  end if;
  if v_state is null then
    begin
      v_key := nullif(v_headers ->> 'idempotency-key', '');
      if v_key is null and v_trigger.signing = 'hmac_sha256' and not v_headers ?| array['x-signature-256', 'x-hub-signature-256'] then
        v_key := left(v_headers ->> 'webhook-id', 255);
      end if;
      if length(v_key) > 255 then
        perform office_internal.refuse(
          'invalid', 'An Idempotency-Key has 255 characters at most.', 'Give a shorter one.', '{"field": "idempotency-key"}'
        );
      end if;
      -- From here on one fire of the routine at a time: a key that comes twice at once waits, and finds the first.
      select r.* into v_routine from office.routines as r where r.id = v_trigger.routine_id for no key update;
      select f.* into v_run from office.routine_runs as f where f.routine_id = v_routine.id and f.request_key = v_key;
      if v_run.id is not null then
        return query select 200, jsonb_build_object('routine_run_id', v_run.id, 'status', v_run.answered);
        return;
      end if;
      perform office_internal.need_active(v_routine);
      v_given := office_internal.webhook_body(v_body);
      v_fire := office_internal.make_fire(
        v_routine, v_trigger, 'webhook', v_now, body => v_given, request_key => v_key, given => coalesce((
          select jsonb_object_agg(g.key, g.value) from jsonb_each(v_given) as g where v_routine.variables ? g.key
        ), '{}')
      );
      perform office_internal.store_fires(array[v_fire]);
      update office.routine_triggers as t set last_fired_at = v_now where t.id = v_trigger.id;
      return query select 202, jsonb_build_object('routine_run_id', (v_fire.run).id, 'status', (v_fire.run).status);
      return;
    exception
      when serialization_failure or deadlock_detected or lock_not_available or query_canceled or read_only_sql_transaction
        or admin_shutdown
      then
        raise;
      when others then
        get stacked diagnostics v_state = returned_sqlstate, v_message = message_text, v_detail = pg_exception_detail,
          v_hint = pg_exception_hint;
    end;
  end if;
  if v_state !~ '^PT[0-9]{3}$' then
    raise exception using errcode = v_state, message = v_message;
  end if;
  return query
    select
      substr(v_state, 3)::integer,
      coalesce(v_detail::jsonb, '{}') || jsonb_build_object('message', v_message, 'hint', v_hint);
end
$$;

comment on function office.fire_webhook(text, jsonb, bytea) is 'Fires a routine by its webhook; answers with HTTP status and body.';
