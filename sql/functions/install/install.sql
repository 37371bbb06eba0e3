-- office_internal.install: what every office begins with, made once after the first deploy: the first account, a verified operator
-- (V2), and the first workspace; and the owner's login as a gateway for tokens, so that a worker that uses it can pass on what
-- its agents ask (I6). Called again it changes nothing.
create or replace function office_internal.install(owner_name text, workspace_name text)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_owner uuid;
begin
  if exists (select from office.workspaces) then
    return;
  end if;
  insert into office.accounts (name, operator, email_verified_at)
  values (install.owner_name, true, office.now())
  returning id into v_owner;
  insert into office_internal.gateways (login, kind) values (session_user, 'token') on conflict (login) do nothing;
  insert into office.workspaces (name, owner_account_id) values (install.workspace_name, v_owner);
  insert into office.members (workspace_id, account_id, role)
  select w.id, v_owner, 'owner' from office.workspaces as w;
end
$$;

comment on function office_internal.install(text, text) is 'Makes the first account and workspace.';
