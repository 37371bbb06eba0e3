-- office.delete_routine: takes a routine away; its triggers are disabled, its name is free, its fires stay on record.
-- Refuses unknown routines (not_found), agents (forbidden). Takes no gate.
create or replace function office.delete_routine(routine text)
returns office.routine_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_routine(routine);
  update office.routines as r set deleted_at = office.now() where r.id = v_id and r.deleted_at is null;
  return office_internal.routine_card(v_id);
end
$$;

comment on function office.delete_routine(text) is 'Deletes a routine.';
