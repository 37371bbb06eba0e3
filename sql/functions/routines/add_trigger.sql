-- office_internal.add_trigger: a new trigger of a routine that the caller sees; the table's own trigger checks it.
create or replace function office_internal.add_trigger(routine text, given jsonb)
returns office.trigger_reference
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_routine uuid := office_internal.find_routine(routine);
  v_id uuid;
begin
  insert into office.routine_triggers (workspace_id, routine_id, kind, expression, timezone, fire_at, signing)
  select r.workspace_id, r.id, g.kind, g.expression, coalesce(g.timezone, 'UTC'), g.fire_at, g.signing
  from office.routines as r
  cross join jsonb_populate_record(null::office.routine_triggers, given) as g
  where r.id = v_routine
  returning id into v_id;
  return office_internal.trigger_card(v_id);
end
$$;

comment on function office_internal.add_trigger(text, jsonb) is 'Makes a trigger of a routine.';
