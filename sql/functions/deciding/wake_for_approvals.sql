-- office_internal.wake_for_approvals: wakes the agents that asked for these approvals, which have been answered or have expired (D6). One
-- wakeup a decision, by its key. The caller holds the gates.
create or replace function office_internal.wake_for_approvals(decision_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  with asked as materialized (
    select
      d.*,
      jsonb_strip_nulls(jsonb_build_object(
        'approval_id', d.id, 'status', coalesce(d.choice, 'expired'), 'decision_note', d.note, 'task_id', d.task_id
      )) as payload
    from office.decisions as d
    where d.id = any(decision_ids) and d.kind = 'approval' and d.status in ('answered', 'expired')
  ),
  made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, account_id,
      attempt_id, requested_at
    )
    select
      k.workspace_id, k.agent_id, 'approval_resolved', 'event',
      office_internal.addressed_as('approval_resolved', k.payload, k.agent_id, k.task_id),
      k.task_id, k.payload, format('approval_resolved:%s', k.id), me.depth, k.decided_by_account_id,
      me.attempt_id, office.now()
    from asked as k
    cross join office_internal.doer() as me
    on conflict do nothing
    returning id, workspace_id, account_id, attempt_id, depth
  )
  insert into office_internal.signals (workspace_id, kind, wakeup_id, account_id, attempt_id, depth)
  select m.workspace_id, 'wakeup', m.id, m.account_id, m.attempt_id, m.depth from made as m;
end
$$;

comment on function office_internal.wake_for_approvals(uuid[]) is 'Wakes agents whose approvals were decided.';
