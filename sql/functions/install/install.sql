-- office_internal.install: what every office begins with, made once after the first deploy: the first account, a verified operator
-- (V2), and the first workspace; and the owner's login as a gateway for tokens, so that a worker that uses it can pass on what
-- its agents ask (I6). Called again it changes nothing.
-- The account is called after the owner's login, without what a name may not have (a login may be called anything); where nothing
-- is left, or somebody has that name, it is "owner".
create or replace function office_internal.install(owner_name text, workspace_name text)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_name text;
  v_owner uuid;
begin
  if exists (select from office.workspaces) then
    return;
  end if;
  select c.name into v_name
  from unnest(
    left(ltrim(regexp_replace(install.owner_name, '[^A-Za-z0-9._-]', '', 'g'), '._-'), 63)
    || array['owner']
    || array(select 'owner-' || n from generate_series(2, (select count(*) + 2 from office.accounts)) as n)
  ) with ordinality as c (name, place)
  where c.name <> ''
    and not exists (select from office.accounts as a where lower(a.name) = lower(c.name) and a.deleted_at is null)
  order by c.place
  limit 1;
  insert into office.accounts (name, operator, email_verified_at)
  values (v_name, true, office.now())
  returning id into v_owner;
  insert into office_internal.gateways (login, kind) values (session_user, 'token') on conflict (login) do nothing;
  insert into office.workspaces (name, owner_account_id) values (install.workspace_name, v_owner);
  insert into office.members (workspace_id, account_id, role)
  select w.id, v_owner, 'owner' from office.workspaces as w;
end
$$;

comment on function office_internal.install(text, text) is 'Makes the first account and workspace.';
