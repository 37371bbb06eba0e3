-- Triggers of office.projects: the executor's row, and no removal (A6).

create or replace function office_internal.projects_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if tg_op = 'UPDATE' and new.workspace_id <> old.workspace_id then
    perform office_internal.refuse(
      'invalid', 'A project stays in its workspace.', 'Make a new one there.', jsonb_build_object('field', 'workspace_id')
    );
  end if;
  if tg_op = 'INSERT' or new.executor is distinct from old.executor then
    new.executor_id := office_internal.keep_executor(new.executor);
  end if;
  return new;
end
$$;
comment on function office_internal.projects_check() is 'Keeps the executor of a project as an unchangeable row.';

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

create or replace trigger projects_check
before insert or update on office.projects
for each row execute function office_internal.projects_check();

create or replace trigger projects_keep
before delete on office.projects
for each row execute function office_internal.projects_keep();
