-- office_internal.setting_scope: what a setting is asked or set for (J4): the office, by the word 'office' or when the setting is the
-- office's only; an account, as account:NAME, or the caller's own where the setting is one of accounts; else a workspace.
-- Refuses an unknown key and an unknown account (not_found), and what find_workspace refuses.
create or replace function office_internal.setting_scope(key text, ref text, out scope text, out scope_id uuid)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_scopes text[] := (select d.scopes from office.setting_definitions as d where d.key = setting_scope.key);
begin
  if v_scopes is null then
    perform office_internal.not_found(
      'setting', setting_scope.key, (select array_agg(d.key) from office.setting_definitions as d),
      'select key, meaning from office.setting_definitions; lists them.'
    );
  end if;
  scope := case
    when lower(ref) = 'office' or (ref is null and v_scopes = '{office}') then 'office'
    when ref ilike 'account:%' or (ref is null and not 'workspace' = any(v_scopes)) then 'account'
    else 'workspace'
  end;
  scope_id := case
    when scope = 'workspace' then office_internal.find_workspace(ref)
    when scope = 'account' and ref is not null then office_internal.find_account(substr(ref, 9))
    when scope = 'account' then (select me.account_id from office_internal.identity() as me)
  end;
end
$$;

comment on function office_internal.setting_scope(text, text) is 'What a setting is asked for: office, workspace or account.';
