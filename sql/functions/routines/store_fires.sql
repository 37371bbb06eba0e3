-- office_internal.store_fires: stores fires that make_fire made, of routines whose rows the caller has locked, all or none (R12). Refuses
-- what making their tasks would. Takes no gate.
create or replace function office_internal.store_fires(fires office_internal.fire[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office.tasks (
    id, workspace_id, project_id, workflow_id, title, description, state, priority, assignee_agent_id, requires_approval, source_ref,
    created_by_account_id
  )
  select
    (f.task).id, (f.task).workspace_id, (f.task).project_id, s.routine_workflow_id, (f.task).title, (f.task).description, 'in_progress',
    (f.task).priority, (f.task).assignee_agent_id, (f.task).requires_approval, (f.task).source_ref, (f.task).created_by_account_id
  from unnest(fires) as f
  join office.workspaces as s on s.id = (f.task).workspace_id
  where (f.task).id is not null;
  insert into office.routine_runs (
    id, workspace_id, routine_id, trigger_id, source, slot, status, trigger_payload, body, answered, request_key, linked_task_id,
    wakeup_id, coalesced_into_run_id, dispatch_fingerprint, missed_ticks, missed_since, error, fired_at, ended_at
  )
  select
    r.id, r.workspace_id, r.routine_id, r.trigger_id, r.source, r.slot, r.status, r.trigger_payload, r.body,
    case when r.request_key is not null then r.status end, r.request_key, r.linked_task_id, r.wakeup_id, r.coalesced_into_run_id,
    r.dispatch_fingerprint, r.missed_ticks, r.missed_since, r.error, r.fired_at, r.ended_at
  from unnest(fires) as f
  cross join lateral (select (f.run).*) as r;
  insert into office.wakeups (
    id, workspace_id, agent_id, source, class, solo, addresses, task_id, routine_id, payload, idempotency_key, depth, account_id,
    requested_at
  )
  select
    (f.wakeup).id, (f.wakeup).workspace_id, (f.wakeup).agent_id, (f.wakeup).source, (f.wakeup).class, (f.wakeup).solo,
    (f.wakeup).addresses, (f.wakeup).task_id, (f.wakeup).routine_id, (f.wakeup).payload, (f.wakeup).idempotency_key, (f.wakeup).depth,
    (f.wakeup).account_id, (f.wakeup).requested_at
  from unnest(fires) as f
  where (f.wakeup).id is not null;
  insert into office_internal.signals (workspace_id, kind, wakeup_id, account_id)
  select
    (f.wakeup).workspace_id, case when (f.wakeup).task_id is null then 'wakeup' else 'routine' end, (f.wakeup).id, (f.wakeup).account_id
  from unnest(fires) as f
  where (f.wakeup).id is not null;
  update office.routines as r
  set last_run_at = n.fired_at
  from (
    select (f.run).routine_id, max((f.run).fired_at) as fired_at
    from unnest(fires) as f
    where (f.run).status <> 'failed'
    group by 1
  ) as n
  where r.id = n.routine_id and (r.last_run_at is null or r.last_run_at < n.fired_at);
end
$$;

comment on function office_internal.store_fires(office_internal.fire[]) is 'Stores fires of routines.';
