-- office_internal.identity: who calls, found from session_user (I6). Refuses nothing: without an identity all is null.
-- Order: a gateway's word for this transaction; the account of the login; the office itself for its owner and operators.
-- A setting is read for gateways only, because anybody may set one.
create or replace function office_internal.identity(
  out account_id uuid,
  out agent_id uuid,
  out attempt_id uuid,
  out is_system boolean
)
language plpgsql stable security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_kind text;
  v_acting jsonb;
  v_claims jsonb;
  v_claimed text;
begin
  is_system := false;
  select gateways.kind into v_kind from office_internal.gateways where gateways.login = session_user;
  if v_kind = 'claims' then
    v_claims := office_internal.jwt_claims();
    v_claimed := coalesce(v_claims ->> 'account', v_claims ->> 'sub');
    select accounts.id into account_id
    from office.accounts
    where accounts.deleted_at is null
      and (accounts.id::text = v_claimed or lower(accounts.name) = lower(v_claimed))
      and accounts.id <> office_internal.system_account();
    return;
  end if;
  if v_kind in ('act_as', 'token') then
    v_acting := nullif(current_setting('office.acting', true), '')::jsonb;
    if v_acting is not null then
      account_id := (v_acting ->> 'account_id')::uuid;
      agent_id := (v_acting ->> 'agent_id')::uuid;
      attempt_id := (v_acting ->> 'attempt_id')::uuid;
      return;
    end if;
  else
    select accounts.id into account_id
    from office.accounts
    where accounts.db_role = session_user and accounts.deleted_at is null;
    if account_id is not null then
      return;
    end if;
  end if;
  if office_internal.is_operator_login() then
    account_id := office_internal.system_account();
    is_system := true;
  end if;
end
$$;

comment on function office_internal.identity() is 'Who calls: account, or agent with its attempt; is_system for the office itself. All null: nobody.';
