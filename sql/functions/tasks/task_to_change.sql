-- office_internal.task_to_change: a task that the caller may change. A person: any that he sees. An agent, from inside a
-- run (X2): its run's task and what is below it; a taskless run: its own tasks; coordinators: all of the workspace.
-- Refuses what is not there (not_found) and other runs' tasks (forbidden).
create or replace function office_internal.task_to_change(ref text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.find_task(ref);
  v_me record;
begin
  select * into v_me from office_internal.identity();
  if v_me.agent_id is not null and not exists (
    with recursive above as (
      select t.id, t.parent_id from office.tasks as t where t.id = v_task
      union
      select p.id, p.parent_id from office.tasks as p join above on p.id = above.parent_id
    )
    select
    from office.attempts as a
    join office.runs as r on r.id = a.run_id
    join office.agents as g on g.id = r.agent_id
    where a.id = v_me.attempt_id
      and (
        g.role in ('coordinator', 'ceo')
        or r.task_id in (select above.id from above)
        or (r.task_id is null and exists (select from office.tasks as t where t.id = v_task and t.assignee_agent_id = g.id))
      )
  ) then
    perform office_internal.refuse(
      'forbidden', format('Task %s is not this run''s.', ref), 'A run changes its own task and its parts.',
      jsonb_build_object('task', ref)
    );
  end if;
  return v_task;
end
$$;

comment on function office_internal.task_to_change(text) is 'Id of a task that the caller may change.';
