-- office.set_setting: sets a setting of a workspace, of the whole office when the workspace is 'office', or of an account when it is
-- 'account:NAME' (J4). A setting of accounts is the caller's own where nothing is said.
-- Refuses unknown keys and accounts (not_found), values out of range and scopes that the setting has not (invalid), others than
-- operators for the office and for another's account (forbidden). Takes no gate: the dispatch follows by signal.
create or replace function office.set_setting(key text, value text, workspace text default null)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
  v_at record;
begin
  perform office_internal.caller();
  select * into v_me from office_internal.identity();
  select * into v_at from office_internal.setting_scope(set_setting.key, set_setting.workspace);
  if v_me.agent_id is not null
    or (not v_me.is_operator and (v_at.scope = 'office' or (v_at.scope = 'account' and v_at.scope_id is distinct from v_me.account_id)))
  then
    perform office_internal.refuse('forbidden', 'This setting is not yours to change.', 'Ask an operator.');
  end if;
  insert into office.settings (scope, scope_id, key, value, set_by)
  values (
    v_at.scope, coalesce(v_at.scope_id, '00000000-0000-0000-0000-000000000000'), set_setting.key, set_setting.value, v_me.account_id
  )
  on conflict on constraint settings_pkey do update
    set value = excluded.value, set_by = excluded.set_by, set_at = office.now();
end
$$;

comment on function office.set_setting(text, text, text)
is 'Sets a setting of a workspace; ''office'' sets it for all, ''account:NAME'' for one. Range and meaning: office.setting_definitions.';
