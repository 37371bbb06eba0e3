-- office_internal.guard_executor: the trigger by which an executor that is named is of a form that can be launched, and kept as an
-- unchangeable row (T13).
create or replace function office_internal.guard_executor()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if tg_op = 'INSERT' or new.executor is distinct from old.executor then
    new.executor_id := office_internal.keep_executor(new.executor);
  end if;
  return new;
end
$$;

comment on function office_internal.guard_executor() is 'Keeps a named executor as an unchangeable row.';
