-- Triggers of office.profiles: it stays in its workspace, and the executor's row.

create or replace trigger profiles_belong
before update on office.profiles
for each row execute function office_internal.guard_workspace('A profile');

create or replace trigger profiles_executor
before insert or update on office.profiles
for each row execute function office_internal.guard_executor();
