-- office_internal.setting: the value that holds for an account or a workspace: its own, else the office's, else the default (J4).
create or replace function office_internal.setting(key text, workspace_id uuid default null, account_id uuid default null)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select coalesce(
      (select s.value from office.settings as s
        where s.key = d.key and s.scope = 'account' and s.scope_id = setting.account_id),
      (select s.value from office.settings as s
        where s.key = d.key and s.scope = 'workspace' and s.scope_id = setting.workspace_id),
      (select s.value from office.settings as s where s.key = d.key and s.scope = 'office'),
      d.default_value
    )
    from office.setting_definitions as d
    where d.key = setting.key
  );
end
$$;

comment on function office_internal.setting(text, uuid, uuid) is 'Value of a setting for an account or a workspace, as text.';
