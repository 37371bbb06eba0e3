-- Triggers of office.run_choices: a hand-written statement takes all gates first, and every row needs its gate (A6).

create or replace trigger run_choices_gate
before update or delete on office.run_choices
for each statement execute function office_internal.guard_gate();

create or replace trigger run_choices_held_update
after update on office.run_choices
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger run_choices_held_delete
after delete on office.run_choices
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();
