-- office_internal.need_active: refuses to fire a routine that is paused, archived, deleted or of an account whose routines are off
-- (routine_inactive), with its status (R2).
create or replace function office_internal.need_active(routine office.routines)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_status text := office_internal.routine_status(routine);
begin
  if v_status <> 'active' then
    perform office_internal.refuse(
      'routine_inactive', format('%s is %s.', (routine).name, v_status),
      case v_status
        when 'paused' then format('select * from office.resume(%L); lets it fire.', 'routine:' || (routine).name)
        when 'off' then 'select office.set_setting(''routines_enabled'', ''on''); lets its maker''s routines fire.'
        else 'Make a new routine.'
      end,
      jsonb_build_object('status', v_status)
    );
  end if;
end
$$;

comment on function office_internal.need_active(office.routines) is 'Refuses a routine that does not fire.';
