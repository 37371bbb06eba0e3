-- Triggers of office.task_checks: a hand-written statement takes all gates first, and every row needs its gate (A6).

create or replace trigger task_checks_gate
before update or delete on office.task_checks
for each statement execute function office_internal.guard_gate();

create or replace trigger task_checks_held_update
after update on office.task_checks
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger task_checks_held_delete
after delete on office.task_checks
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();
