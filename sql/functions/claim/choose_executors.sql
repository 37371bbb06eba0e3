-- office_internal.choose_executors: lets queued runs whose profile is a list launch what is best now (X7); the attempt records which it
-- was. The caller holds the gates.
create or replace function office_internal.choose_executors(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (select from office.run_choices as c where c.run_id = any(run_ids)) then
    return;
  end if;
  update office.runs as r
  set executor_id = b.executor_id
  from office_internal.best_choices(run_ids, office_internal.wall_clock()) as b
  where r.id = b.run_id and r.status is not distinct from 'queued' and r.executor_id is distinct from b.executor_id;
end
$$;

comment on function office_internal.choose_executors(uuid[]) is 'Chooses what runs with a list launch.';
