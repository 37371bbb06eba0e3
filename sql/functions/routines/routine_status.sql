-- office_internal.routine_status: how a routine stands (R2): active, paused, archived; deleted; or off: active, and the account that made
-- it has switched its routines off (routines_enabled).
create or replace function office_internal.routine_status(routine office.routines)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return case
    when (routine).deleted_at is not null then 'deleted'
    when (routine).status <> 'active' then (routine).status
    -- Most have never set it: then this is all that it costs a fire.
    when exists (select from office.settings as s where s.key = 'routines_enabled')
      and office_internal.setting('routines_enabled', account_id => (routine).created_by_account_id) = 'off' then 'off'
    else 'active'
  end;
end
$$;

comment on function office_internal.routine_status(office.routines) is 'How a routine stands: active, paused, archived, deleted or off.';
