-- office.act_as: for a gateway of kind act_as, names the account that this transaction acts for (I6).
-- Refuses other logins (forbidden) and unknown accounts (not_found). Lost at the transaction's end.
create or replace function office.act_as(account text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_account uuid;
begin
  if not exists (select from office_internal.gateways as g where g.login = session_user and g.kind = 'act_as') then
    perform office_internal.refuse(
      'forbidden',
      format('The login "%s" may not act for others.', session_user),
      format('An operator can run: officectl db grant %s --gateway act_as', session_user)
    );
  end if;
  v_account := office_internal.find_account(act_as.account);
  if v_account = office_internal.system_account() then
    perform office_internal.refuse('forbidden', 'Nobody acts as "system".', 'Name a person''s account.');
  end if;
  perform set_config('office.acting', v_account::text, true);
end
$$;

comment on function office.act_as(text)
is 'Names the account that this transaction acts for. For gateways; repeat it in every transaction.';
