-- office_internal.escalate: a run gave up or is blocked: an inbox item, and an agent_error wake for the one who leads: the agent's
-- reports_to, else the oldest ceo, else the oldest coordinator, not stopped; never the failed agent itself (Q18).
-- The caller holds the gate.
create or replace function office_internal.escalate(run_id uuid, kind text, what text, error text, mend text default 'Mend it')
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run office.runs;
  v_agent office.agents;
  v_leader uuid;
begin
  select * into v_run from office.runs as r where r.id = escalate.run_id;
  select * into v_agent from office.agents as a where a.id = v_run.agent_id;
  insert into office.inbox_items (workspace_id, kind, title, body, agent_id, task_id, run_id, dedup_key)
  values (
    v_run.workspace_id, escalate.kind, format('r%s of %s %s', v_run.number, v_agent.name, escalate.what),
    format('%s%s%s, then: select * from office.retry_run(%L);', escalate.error, E'\n', escalate.mend, 'r' || v_run.number),
    v_run.agent_id, v_run.task_id, v_run.id, format('%s:%s', escalate.kind, v_run.id)
  )
  on conflict do nothing;
  select a.id into v_leader
  from office.agents as a
  where a.workspace_id = v_run.workspace_id and a.status <> 'stopped' and a.deleted_at is null
    and (a.id = v_agent.reports_to or a.role in ('ceo', 'coordinator'))
  order by (a.id = v_agent.reports_to) desc nulls last, (a.role = 'ceo') desc, a.created_at, a.id
  limit 1;
  if v_leader is null or v_leader = v_run.agent_id then
    return;
  end if;
  with made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, payload, idempotency_key, depth, attempt_id, requested_at
    )
    values (
      v_run.workspace_id, v_leader, 'agent_error', 'event', 'nobody',
      jsonb_build_object('failed_agent_id', v_run.agent_id, 'run_id', v_run.id, 'error', left(escalate.error, 4000)),
      format('agent_error:%s', v_run.id), v_run.depth + 1, v_run.attempt_id, office.now()
    )
    on conflict do nothing
    returning id
  )
  insert into office_internal.signals (workspace_id, kind, wakeup_id, depth)
  select v_run.workspace_id, 'wakeup', made.id, v_run.depth + 1 from made;
end
$$;

comment on function office_internal.escalate(uuid, text, text, text, text) is 'Tells people and the leading agent that a run needs help.';
