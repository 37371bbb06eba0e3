-- Trigger of office.profiles: the executor's row.

create or replace function office_internal.profiles_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if tg_op = 'UPDATE' and new.workspace_id <> old.workspace_id then
    perform office_internal.refuse(
      'invalid', 'A profile stays in its workspace.', 'Make a new one there.', jsonb_build_object('field', 'workspace_id')
    );
  end if;
  if tg_op = 'INSERT' or new.executor is distinct from old.executor then
    new.executor_id := office_internal.keep_executor(new.executor);
  end if;
  return new;
end
$$;
comment on function office_internal.profiles_check() is 'Keeps the executor of a profile as an unchangeable row.';

create or replace trigger profiles_check
before insert or update on office.profiles
for each row execute function office_internal.profiles_check();
