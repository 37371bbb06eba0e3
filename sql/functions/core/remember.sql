-- office_internal.remember: one row of activity; returns its id, which is also the id of the event.
create or replace function office_internal.remember(
  workspace_id uuid,
  kind text,
  detail jsonb default '{}',
  account_id uuid default null,
  agent_id uuid default null,
  task_id uuid default null,
  run_id uuid default null,
  attempt_id uuid default null
)
returns uuid
language sql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  insert into office.activity (workspace_id, kind, detail, account_id, agent_id, task_id, run_id, attempt_id)
  values (
    remember.workspace_id, remember.kind, remember.detail, remember.account_id, remember.agent_id,
    remember.task_id, remember.run_id, remember.attempt_id
  )
  returning id
$$;

comment on function office_internal.remember(uuid, text, jsonb, uuid, uuid, uuid, uuid, uuid) is 'Writes a row of activity.';
