-- office_internal.routine_card: a routine as functions answer with it.
create or replace function office_internal.routine_card(routine_id uuid)
returns office.routine_reference
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select r.id, r.name, r.status, w.name
  from office.routines as r
  join office.workspaces as w on w.id = r.workspace_id
  where r.id = routine_card.routine_id
$$;

comment on function office_internal.routine_card(uuid) is 'A routine''s reference.';
