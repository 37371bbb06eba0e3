-- office.get_setting: the value that holds; refuses an unknown key (not_found), nobody (no_identity).
create or replace function office.get_setting(key text, workspace text default null)
returns text
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not office_internal.is_worker_login() then
    perform office_internal.caller();
  end if;
  return office_internal.setting(get_setting.key, office_internal.setting_workspace(get_setting.key, get_setting.workspace));
end
$$;

comment on function office.get_setting(text, text)
is 'The value of a setting that holds for a workspace; workspace => ''office'': for the office.';
