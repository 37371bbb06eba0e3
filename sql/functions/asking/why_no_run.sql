-- office_internal.why_no_run: why a task has no run yet, as a row of why (I9).
create or replace function office_internal.why_no_run(task_id uuid)
returns table (at timestamptz, event text, detail text, lasted interval, lift text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return query
    select
      t.created_at, 'no run',
      case
        when t.assignee_agent_id is null then 'nobody is assigned'
        when office_internal.is_blocked(t.id) then 'it waits for other tasks, and is woken when they have ended'
        when not office_internal.is_woken_for(t.id) then 'its stage or workflow starts no work'
        else format('it is %s', t.state)
      end,
      null::interval,
      case when t.assignee_agent_id is null then format('select * from office.assign_task(''t%s'', ''AGENT'');', t.number) end
    from office.tasks as t
    where t.id = why_no_run.task_id;
end
$$;

comment on function office_internal.why_no_run(uuid) is 'Why a task has no run yet.';
