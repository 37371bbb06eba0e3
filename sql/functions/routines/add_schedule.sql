-- office.add_schedule: fires a routine by the clock of a time zone (R3 to R8). Several schedules may fire one routine.
-- Refuses agents (forbidden), unknown routines (not_found), archived ones (routine_inactive), what is no cron expression, no zone, or
-- never fires (bad_cron, bad_timezone), a routine that needs values (bad_variables). Takes no gate.
create or replace function office.add_schedule(routine text, expression text, timezone text default 'UTC')
returns office.trigger_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.need_person();
  return office_internal.add_trigger(
    routine, jsonb_build_object('kind', 'schedule', 'expression', coalesce(expression, ''), 'timezone', coalesce(timezone, ''))
  );
end
$$;

comment on function office.add_schedule(text, text, text)
is 'Fires a routine by the clock: select * from office.add_schedule(''briefing'', ''0 9 * * mon-fri'', ''Europe/Berlin'');';
