-- Triggers of office.budget_periods and office.budget_reservations: a hand-written statement takes all gates first, and every row needs its
-- gate (A6); who waits for a budget's room is told when some is freed (B2).

create or replace function office_internal.reservations_freed()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if exists (select from old_rows) then
    insert into office_internal.signals (workspace_id, kind)
    select distinct o.workspace_id, 'look' from old_rows as o;
  end if;
  return null;
end
$$;
comment on function office_internal.reservations_freed() is 'Has those looked at who wait for a budget''s room.';

create or replace trigger budget_periods_gate
before update or delete on office.budget_periods
for each statement execute function office_internal.guard_gate();

create or replace trigger budget_periods_held_update
after update on office.budget_periods
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger budget_periods_held_delete
after delete on office.budget_periods
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger budget_reservations_gate
before update or delete on office.budget_reservations
for each statement execute function office_internal.guard_gate();

create or replace trigger budget_reservations_held_update
after update on office.budget_reservations
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger budget_reservations_held_delete
after delete on office.budget_reservations
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger budget_reservations_freed
after delete on office.budget_reservations
referencing old table as old_rows
for each statement execute function office_internal.reservations_freed();
