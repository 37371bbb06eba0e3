-- office.add_once: fires a routine once, at an instant in the future; then the trigger is disabled. Missed while all was down: at the
-- next tick (R8). The zone is where the routine's date and time are told. Refuses agents (forbidden), unknown routines (not_found),
-- archived ones (routine_inactive), an instant that has passed (invalid), a routine that needs values (bad_variables). Takes no gate.
create or replace function office.add_once(routine text, fire_at timestamptz, timezone text default 'UTC')
returns office.trigger_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.need_person();
  if fire_at is null then
    perform office_internal.refuse(
      'missing', 'When it fires is missing.', 'As 2026-03-01 09:00+01.', jsonb_build_object('field', 'fire_at')
    );
  end if;
  return office_internal.add_trigger(
    routine, jsonb_build_object('kind', 'once', 'fire_at', fire_at, 'timezone', coalesce(timezone, ''))
  );
end
$$;

comment on function office.add_once(text, timestamptz, text) is 'Fires a routine once.';
