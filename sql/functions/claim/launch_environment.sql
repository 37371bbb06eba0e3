-- office_internal.launch_environment: what a launched program finds in its environment of the office's: ids, names, why it was
-- woken, and the payload of its latest wakeup (X1). Token and socket are the worker's to add. One row.
-- A table function of one statement, so that it becomes part of the query that asks.
create or replace function office_internal.launch_environment(run_id uuid, attempt_id uuid)
returns table (environment jsonb)
language sql stable parallel safe
begin atomic
  select jsonb_strip_nulls(jsonb_build_object(
    'OFFICE_RUN_ID', r.id, 'OFFICE_RUN', 'r' || r.number,
    'OFFICE_ATTEMPT_ID', launch_environment.attempt_id,  -- noqa: RF01
    'OFFICE_WORKSPACE', w.name, 'OFFICE_AGENT', a.name, 'OFFICE_AGENT_ID', a.id, 'OFFICE_TASK', 't' || t.number,
    'OFFICE_TASK_ID', t.id, 'OFFICE_WAKE_REASON', r.reason,
    -- For a program of one's own; a preset tells its program itself.
    'OFFICE_MODEL', x.body ->> 'model', 'OFFICE_EFFORT', x.body ->> 'effort', 'OFFICE_CONTEXT_WINDOW', x.body ->> 'context_window',
    'OFFICE_WAKE_PAYLOAD', (
      select p.payload::text
      from office.wakeups as p
      where p.run_id = r.id
      order by p.position desc
      limit 1
    )
  ))
  from office.runs as r
  join office.workspaces as w on w.id = r.workspace_id
  join office.agents as a on a.id = r.agent_id
  left join office.executors as x on x.id = r.executor_id
  left join office.tasks as t on t.id = r.task_id
  where r.id = launch_environment.run_id;  -- noqa: RF01
end;

comment on function office_internal.launch_environment(uuid, uuid) is 'Environment of a launch, without token and socket.';
