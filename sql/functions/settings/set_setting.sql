-- office.set_setting: sets a setting of a workspace, or of the whole office when the workspace is 'office' (J4).
-- Refuses unknown keys (not_found), values out of range (invalid), and others than operators for the office (forbidden).
-- Takes no gate: the dispatch follows by signal.
create or replace function office.set_setting(key text, value text, workspace text default null)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
  v_workspace uuid;
begin
  perform office_internal.caller();
  select * into v_me from office_internal.identity();
  v_workspace := office_internal.setting_workspace(set_setting.key, set_setting.workspace);
  if v_me.agent_id is not null or (v_workspace is null and not v_me.is_operator) then
    perform office_internal.refuse('forbidden', 'This setting is not yours to change.', 'Ask an operator.');
  end if;
  insert into office.settings (scope, scope_id, key, value, set_by)
  values (
    case when v_workspace is null then 'office' else 'workspace' end,
    coalesce(v_workspace, '00000000-0000-0000-0000-000000000000'),
    set_setting.key, set_setting.value, v_me.account_id
  )
  on conflict on constraint settings_pkey do update
    set value = excluded.value, set_by = excluded.set_by, set_at = office.now();
end
$$;

comment on function office.set_setting(text, text, text)
is 'Sets a setting of a workspace; workspace => ''office'' sets it for all. Range and meaning: office.setting_definitions.';
