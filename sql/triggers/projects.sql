-- Triggers of office.projects: it stays in its workspace, the executor's row, and no removal (A6).

create or replace function office_internal.projects_keep()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.projects as p set deleted_at = office.now() where p.id = old.id and p.deleted_at is null;
  return null;
end
$$;
comment on function office_internal.projects_keep() is 'Turns a DELETE of a project into deleted_at (A6).';

create or replace trigger projects_belong
before update on office.projects
for each row execute function office_internal.guard_workspace('A project');

create or replace trigger projects_executor
before insert or update on office.projects
for each row execute function office_internal.guard_executor();

create or replace trigger projects_keep
before delete on office.projects
for each row execute function office_internal.projects_keep();
