-- office.act_with: for a gateway of kind token, this transaction acts with what the token is good for (I6).
-- Refuses other logins (forbidden) and tokens that are unknown or whose attempt has ended (bad_token).
create or replace function office.act_with(secret text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (select from office_internal.gateways as g where g.login = session_user and g.kind = 'token') then
    perform office_internal.refuse(
      'forbidden',
      format('The login "%s" may not act with tokens.', session_user),
      format('An operator can run: officectl db grant %s --gateway token', session_user)
    );
  end if;
  if not exists (select from office_internal.attempt_of_token(secret)) then
    perform office_internal.refuse(
      'bad_token', 'This token is not good, or no longer.', 'A token is good while its attempt lives.'
    );
  end if;
  -- The token itself, so that a gateway cannot write another's name there.
  perform set_config('office.acting', secret, true);
end
$$;

comment on function office.act_with(text) is 'Acts with a token in this transaction. For gateways; repeat it in every transaction.';
