-- Trigger of office.attempts: a hand-written statement takes all gates first (A6).

create or replace trigger attempts_gate
before update or delete on office.attempts
for each statement execute function office_internal.guard_gate();
