-- Triggers of office.resources: a hand-written statement takes all gates first, every row needs its gate (A6), and whoever frees a key,
-- in whichever way, says so: what waits for it may go (P7).

create or replace function office_internal.resources_freed()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  -- An insert of nothing would announce work as well.
  if exists (select from old_rows) then
    insert into office_internal.signals (workspace_id, kind, key)
    select distinct o.workspace_id, 'freed', o.key from old_rows as o;
  end if;
  return null;
end
$$;
comment on function office_internal.resources_freed() is 'Tells who waits for keys that were freed.';

create or replace trigger resources_gate
before update or delete on office.resources
for each statement execute function office_internal.guard_gate();

create or replace trigger resources_held_update
after update on office.resources
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger resources_held_delete
after delete on office.resources
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger resources_freed
after delete on office.resources
referencing old table as old_rows
for each statement execute function office_internal.resources_freed();
