-- Triggers of office.agent_sessions: a hand-written statement takes all gates first, and every row needs its gate (A6).

create or replace trigger agent_sessions_gate
before update or delete on office.agent_sessions
for each statement execute function office_internal.guard_gate();

create or replace trigger agent_sessions_held_update
after update on office.agent_sessions
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger agent_sessions_held_delete
after delete on office.agent_sessions
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();
