-- office_internal.identity: who calls, found from session_user (I6). Refuses nothing: without an identity all is null.
-- Order: a gateway's word for this transaction; the account of the login; the account "system" for owner and operators
-- without one. Owner and operators have an operator's power, with an account or without; whom a gateway names has not.
-- A setting is read for gateways only, because anybody may set one; and one that says nothing true there means nobody.
create or replace function office_internal.identity(
  out account_id uuid,
  out agent_id uuid,
  out attempt_id uuid,
  out is_operator boolean
)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_kind text;
  v_acting text := nullif(current_setting('office.acting', true), '');
  v_claims jsonb;
  v_claimed text;
begin
  is_operator := false;
  -- What a result asked for is carried out as its agent, by whoever may carry out at all (X8).
  if coalesce(current_setting('office.carrying', true), '') ~ '^[0-9]{1,18}$' then
    select c.attempt_id, c.agent_id into attempt_id, agent_id
    from office_internal.changes as c
    where c.id = current_setting('office.carrying', true)::bigint and c.kind = 'action'
      and has_function_privilege(session_user, 'office.carry_out(integer)', 'execute');
    if agent_id is not null then
      return;
    end if;
  end if;
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
  if v_kind = 'act_as' and v_acting is not null then
    select accounts.id into account_id
    from office.accounts
    where accounts.id::text = v_acting and accounts.deleted_at is null and accounts.id <> office_internal.system_account();
    return;
  end if;
  if v_kind = 'token' and v_acting is not null then
    select t.attempt_id, t.agent_id into attempt_id, agent_id from office_internal.attempt_of_token(v_acting) as t;
    return;
  end if;
  is_operator := office_internal.is_operator_login();
  if v_kind is null then
    select accounts.id into account_id
    from office.accounts
    where accounts.db_role = session_user and accounts.deleted_at is null;
  end if;
  if account_id is null and is_operator then
    account_id := office_internal.system_account();
  end if;
end
$$;

comment on function office_internal.identity()
is 'Who calls: account, or agent with its attempt; whether with an operator''s power. All null: nobody.';
