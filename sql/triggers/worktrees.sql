-- Triggers of office.worktrees: a hand-written statement takes all gates first, and every row needs its gate (A6).

create or replace trigger worktrees_gate
before update or delete on office.worktrees
for each statement execute function office_internal.guard_gate();

create or replace trigger worktrees_held_update
after update on office.worktrees
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger worktrees_held_delete
after delete on office.worktrees
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();
