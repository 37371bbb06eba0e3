-- Triggers of office.checkouts: a hand-written statement takes all gates first, every row needs its gate (A6), and whoever frees a
-- task's lock, in whichever way, lets those look again who wait for it (Q13.5, T10).

create or replace function office_internal.checkouts_freed()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_waiting uuid[] := array(
    select q.id
    from old_rows as o
    join office.runs as q
      on q.task_id = o.task_id and q.status is not distinct from 'queued' and (q.parked in ('checkout', 'session')) is true
  );
begin
  if cardinality(v_waiting) > 0 then
    perform office_internal.need_gates(array(select distinct o.workspace_id from old_rows as o));
    perform office_internal.park_runs(v_waiting);
    insert into office_internal.signals (workspace_id, kind) select distinct o.workspace_id, 'look' from old_rows as o;
  end if;
  return null;
end
$$;
comment on function office_internal.checkouts_freed() is 'Lets those look again who wait for a task''s lock.';

create or replace trigger checkouts_gate
before update or delete on office.checkouts
for each statement execute function office_internal.guard_gate();

create or replace trigger checkouts_held_update
after update on office.checkouts
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger checkouts_held_delete
after delete on office.checkouts
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger checkouts_freed
after delete on office.checkouts
referencing old table as old_rows
for each statement execute function office_internal.checkouts_freed();
