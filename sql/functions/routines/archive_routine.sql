-- office.archive_routine: ends a routine for good: its triggers are disabled, and what it has fired goes its way (R1). Again: a no-op.
-- Refuses unknown routines (not_found), agents (forbidden). Takes no gate.
create or replace function office.archive_routine(routine text)
returns office.routine_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_routine(routine);
  update office.routines as r set status = 'archived' where r.id = v_id and r.status <> 'archived';
  return office_internal.routine_card(v_id);
end
$$;

comment on function office.archive_routine(text) is 'Archives a routine, for good.';
