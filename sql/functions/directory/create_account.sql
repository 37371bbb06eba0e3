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
begin
  perform office_internal.need_operator();
  perform office_internal.check_name('account', create_account.name);
  return query
    insert into office.accounts (name, email, db_role, operator)
    values (create_account.name, create_account.email, create_account.db_role, create_account.operator)
    returning id, accounts.name;
exception when unique_violation then
  perform office_internal.name_taken('account', create_account.name);
end
$$;

comment on function office.create_account(text, text, text, boolean) is 'Makes an account; db_role is the login whose sessions act as it.';
