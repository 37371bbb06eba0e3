-- Triggers of office.settings: range and type for every way in (J4), and the signal by which gates and parked runs follow; routines that
-- are switched on go on with the next slot (R2).

create or replace function office_internal.settings_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  -- The one setting that is clamped, not refused (T11).
  if new.key = 'recovery_lookback_hours' and new.value ~ '^-?[0-9]{1,10}$' then
    new.value := least(greatest(new.value::bigint, 1), 720)::text;
  end if;
  perform office_internal.check_setting(new.key, new.scope, new.value);
  return new;
end
$$;
comment on function office_internal.settings_check() is 'Refuses a setting that is unknown, misplaced or out of range.';

create or replace function office_internal.settings_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_setting office.settings := coalesce(new, old);
  v_without text;
begin
  perform office_internal.leave_signal(w.id, 'setting')
  from office.workspaces as w
  where v_setting.key in (
      'max_concurrent_runs', 'attempt_minutes', 'attempt_turns', 'attempt_tool_calls', 'silence_timeout_seconds', 'output_limit_bytes',
      'coalescing_window_seconds', 'on_checkout_conflict', 'overflow_after_minutes', 'project_folders', 'linked_sessions'
    )
    and (v_setting.scope = 'office' or w.id = v_setting.scope_id);
  if v_setting.key = 'routines_enabled' then
    v_without := case
      when v_setting.scope = 'account' then office_internal.setting(v_setting.key)
      else (select d.default_value from office.setting_definitions as d where d.key = v_setting.key)
    end;
    if coalesce(old.value, v_without) <> coalesce(new.value, v_without) then
      perform office_internal.pass_over(array(
        select r.id
        from office.routines as r
        where r.status = 'active' and r.deleted_at is null
          and (v_setting.scope = 'office' or r.created_by_account_id = v_setting.scope_id)
      ));
    end if;
  end if;
  return null;
end
$$;
comment on function office_internal.settings_tell()
is 'Leaves a signal where a gate must follow a setting; passes over what routines missed while they were off.';

create or replace trigger settings_check
before insert or update on office.settings
for each row execute function office_internal.settings_check();

create or replace trigger settings_tell
after insert or update or delete on office.settings
for each row execute function office_internal.settings_tell();
