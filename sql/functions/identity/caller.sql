-- office_internal.caller: the calling account; refuses nobody (no_identity) with the command that grants an identity.
-- An agent has no account: null.
create or replace function office_internal.caller()
returns uuid
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
begin
  select * into v_me from office_internal.identity();
  if v_me.account_id is null and v_me.agent_id is null then
    perform office_internal.refuse(
      'no_identity',
      format('The login "%s" is nobody here.', session_user),
      format('An operator can run: officectl db grant %s --role client --account NAME', session_user),
      jsonb_build_object('login', session_user)
    );
  end if;
  return v_me.account_id;
end
$$;

comment on function office_internal.caller() is 'The calling account; null for an agent; refused for nobody.';
