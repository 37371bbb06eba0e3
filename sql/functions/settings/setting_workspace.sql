-- office_internal.setting_workspace: the workspace that a setting is asked or set for; null: the whole office, which is meant by the
-- word 'office', or when the setting is the office's only (J4). Refuses an unknown key (not_found) and what find_workspace refuses.
create or replace function office_internal.setting_workspace(key text, workspace text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (select from office.setting_definitions as d where d.key = setting_workspace.key) then
    perform office_internal.not_found(
      'setting', setting_workspace.key, (select array_agg(d.key) from office.setting_definitions as d),
      'select key, meaning from office.setting_definitions; lists them.'
    );
  end if;
  if lower(setting_workspace.workspace) = 'office' or (setting_workspace.workspace is null and exists (
    select from office.setting_definitions as d where d.key = setting_workspace.key and d.scopes = '{office}'
  )) then
    return null;
  end if;
  return office_internal.find_workspace(setting_workspace.workspace);
end
$$;

comment on function office_internal.setting_workspace(text, text) is 'Workspace that a setting is asked for; null: the office.';
