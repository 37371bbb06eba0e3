-- Triggers of office.projects: it stays in its workspace, the executor's row, no removal (A6), and a
-- look at the runs that wait for its folder when that is another one.

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

create or replace function office_internal.projects_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office_internal.signals (workspace_id, kind, event_id)
  select w.workspace_id, 'resource', w.run_id
  from office_internal.resource_waits as w
  where w.key = 'project:' || new.id;
  return null;
end
$$;
comment on function office_internal.projects_tell() is 'Has the runs looked at that wait for a project''s folder.';

create or replace trigger projects_belong
before update on office.projects
for each row execute function office_internal.guard_workspace('A project');

create or replace trigger projects_executor
before insert or update on office.projects
for each row execute function office_internal.guard_executor();

create or replace trigger projects_keep
before delete on office.projects
for each row execute function office_internal.projects_keep();

create or replace trigger projects_tell
after update on office.projects
for each row
when ((new.folder, new.repo, new.isolation) is distinct from (old.folder, old.repo, old.isolation))
execute function office_internal.projects_tell();
