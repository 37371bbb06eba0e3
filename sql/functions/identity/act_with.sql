-- office.act_with: for a gateway of kind token, this transaction acts with what the token is good for (I6).
-- A token is oat_<attempt>_<secret>; only its hash is kept, and it dies with its attempt.
-- Refuses other logins (forbidden) and tokens that are unknown or whose attempt has ended (bad_token).
create or replace function office.act_with(secret text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_parts text[] := regexp_match(secret, '^oat_([0-9a-f]{32})_[0-9a-f]{64}$');
  v_attempt uuid := v_parts[1]::uuid;
  v_agent uuid;
begin
  if not exists (select from office_internal.gateways as g where g.login = session_user and g.kind = 'token') then
    perform office_internal.refuse(
      'forbidden',
      format('The login "%s" may not act with tokens.', session_user),
      format('An operator can run: officectl db grant %s --gateway token', session_user)
    );
  end if;
  select r.agent_id into v_agent
  from office.attempts as a
  join office.runs as r on r.id = a.run_id
  where a.id = v_attempt and a.ended_at is null and a.token_hash = sha256(convert_to(secret, 'UTF8'));
  if not found then
    perform office_internal.refuse(
      'bad_token', 'This token is not good, or no longer.', 'A token is good while its attempt lives.'
    );
  end if;
  perform set_config('office.acting', jsonb_build_object('agent_id', v_agent, 'attempt_id', v_attempt)::text, true);
end
$$;

comment on function office.act_with(text) is 'Acts with a token in this transaction. For gateways; repeat it in every transaction.';
