-- office_internal.leave_signal: says that something changed; the dispatch looks (A6). An insert and nothing else.
create or replace function office_internal.leave_signal(
  workspace_id uuid,
  kind text,
  task_id uuid default null,
  agent_id uuid default null,
  event_id uuid default null
)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office_internal.signals (workspace_id, kind, task_id, agent_id, event_id, account_id, attempt_id, depth)
  select
    leave_signal.workspace_id, leave_signal.kind, leave_signal.task_id, leave_signal.agent_id, leave_signal.event_id,
    doer.account_id, doer.attempt_id, doer.depth
  from office_internal.doer();
end
$$;

comment on function office_internal.leave_signal(uuid, text, uuid, uuid, uuid) is 'Leaves a signal for the dispatch.';
