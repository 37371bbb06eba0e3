-- Triggers of office.attempts: a hand-written statement takes all gates first, and every row needs its gate (A6).

create or replace trigger attempts_gate
before update or delete on office.attempts
for each statement execute function office_internal.guard_gate();

create or replace trigger attempts_held
before update or delete on office.attempts
for each row execute function office_internal.guard_row();
