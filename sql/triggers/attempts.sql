-- Triggers of office.attempts: a hand-written statement takes all gates first, and every row needs its gate (A6); an
-- attempt holds the keys of what its run works on from its first moment (S4).

create or replace function office_internal.attempts_hold()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office.resources (attempt_id, key, run_id, workspace_id, taken_at)
  select n.id, k.key, n.run_id, n.workspace_id, n.claimed_at
  from new_rows as n
  join office_internal.keys_of(array(select r.run_id from new_rows as r)) as k on k.run_id = n.run_id;
  return null;
end
$$;
comment on function office_internal.attempts_hold() is 'Notes the keys that new attempts hold.';

create or replace trigger attempts_gate
before update or delete on office.attempts
for each statement execute function office_internal.guard_gate();

create or replace trigger attempts_held
before update or delete on office.attempts
for each row execute function office_internal.guard_row();

create or replace trigger attempts_hold
after insert on office.attempts
referencing new table as new_rows
for each statement execute function office_internal.attempts_hold();
