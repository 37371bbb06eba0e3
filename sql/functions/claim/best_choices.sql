-- office_internal.best_choices: of runs whose profile is a list, what each would launch now (X7): the first of its list whose provider
-- refuses nothing; where all do, the one that is held for the shortest time, as far as that is known. free: nothing is refused.
create or replace function office_internal.best_choices(run_ids uuid[], at timestamptz)
returns table (run_id uuid, executor_id uuid, free boolean)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select distinct on (c.run_id) c.run_id, c.executor_id, f.executor_id is null
    from office.run_choices as c
    left join lateral office_internal.provider_refusals(array[c.executor_id], best_choices.at) as f on true
    where c.run_id = any(run_ids)
    order by c.run_id, f.executor_id is not null, f.until nulls last, c.position;
end
$$;

comment on function office_internal.best_choices(uuid[], timestamptz) is 'What runs with a list would launch now.';
