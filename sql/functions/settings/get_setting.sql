-- office.get_setting: the value that holds; refuses an unknown key (not_found), nobody (no_identity).
create or replace function office.get_setting(key text, workspace text default null)
returns text
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_at record;
begin
  if not office_internal.is_worker_login() then
    perform office_internal.caller();
  end if;
  select * into v_at from office_internal.setting_scope(get_setting.key, get_setting.workspace);
  return office_internal.setting(
    get_setting.key,
    case when v_at.scope = 'workspace' then v_at.scope_id end,
    case v_at.scope when 'account' then v_at.scope_id when 'workspace' then (select me.account_id from office_internal.identity() as me) end
  );
end
$$;

comment on function office.get_setting(text, text)
is 'The value of a setting that holds for a workspace; workspace => ''office'': for the office, ''account:NAME'': for an account.';
