-- office.create_account: a person or application. Operators only (forbidden). Refuses names and logins in use (name_taken).
create or replace function office.create_account(
  name text,
  email text default null,
  db_role text default null,
  operator boolean default false
)
returns table (account_id uuid, account text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_constraint text;
begin
  perform office_internal.need_operator();
  perform office_internal.check_name('account', create_account.name);
  return query
    insert into office.accounts (name, email, db_role, operator)
    values (create_account.name, create_account.email, create_account.db_role, coalesce(create_account.operator, false))
    returning id, accounts.name;
exception
  when check_violation then
    get stacked diagnostics v_constraint = constraint_name;
    perform office_internal.refuse_value('accounts', v_constraint);
  when unique_violation then
    get stacked diagnostics v_constraint = constraint_name;
    if v_constraint = 'accounts_db_role' then
      perform office_internal.refuse(
        'name_taken', format('The login "%s" has an account already.', create_account.db_role), 'A login acts as one account.',
        jsonb_build_object('field', 'db_role', 'given', create_account.db_role)
      );
    end if;
    perform office_internal.name_taken('account', create_account.name);
end
$$;

comment on function office.create_account(text, text, text, boolean) is 'Makes an account; db_role is the login whose sessions act as it.';
