-- office_internal.keep_choices: freezes the list that new runs' profiles have now (T13); again for a run that is to launch what is set
-- by now. The caller holds the gates.
create or replace function office_internal.keep_choices(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  -- Most offices have no list at all: then this is all that it costs.
  if not exists (select from office.profile_choices) then
    return;
  end if;
  delete from office.run_choices as c where c.run_id = any(run_ids);
  insert into office.run_choices (run_id, position, workspace_id, executor_id)
  select r.id, k.position, r.workspace_id, k.executor_id
  from office.runs as r
  cross join lateral office_internal.usual_executor(r.agent_id, r.task_id) as x
  cross join lateral unnest(x.choices) with ordinality as k (executor_id, position)
  where r.id = any(run_ids) and r.executor_id = any(x.choices);
end
$$;

comment on function office_internal.keep_choices(uuid[]) is 'Freezes what new runs may choose among.';
