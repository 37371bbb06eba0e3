-- office_internal.settle_queued: ends the queued runs among these that must not launch: a stopped or deleted agent's end
-- finished/agent_stopped, stale ones are cancelled (Q13.2, Q13.3). The caller holds the gates. Settling again is a no-op.
create or replace function office_internal.settle_queued(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_stopped uuid[];
  v_tasks boolean;
begin
  if coalesce(cardinality(run_ids), 0) = 0 then
    return;
  end if;
  -- Looked at first: what is usual, that nothing is to be settled, writes nothing and fires nothing.
  select array_agg(r.id) filter (where a.status = 'stopped' or a.deleted_at is not null), bool_or(r.task_id is not null)
  into v_stopped, v_tasks
  from office.runs as r
  join office.agents as a on a.id = r.agent_id
  where r.id = any(run_ids) and r.status is not distinct from 'queued';
  if v_stopped is not null then
    update office.runs as r
    set status = 'finished', outcome = 'agent_stopped', parked = null, due_at = null, ended_at = office_internal.wall_clock()
    where r.id = any(v_stopped) and r.status is not distinct from 'queued';
  end if;
  if v_tasks is not true or not exists (select from office_internal.stale_runs(run_ids)) then
    return;
  end if;
  with stale as materialized (
    select s.run_id, s.cancel_reason from office_internal.stale_runs(run_ids) as s
  ),
  cancelled as (
    update office.runs as r
    set status = 'cancelled', cancel_reason = stale.cancel_reason, parked = null, due_at = null,
      ended_at = office_internal.wall_clock()
    from stale
    where r.id = any(run_ids) and r.id = stale.run_id and r.status is not distinct from 'queued'
    returning r.id, r.workspace_id, r.agent_id, r.task_id, r.cancel_reason
  )
  insert into office.activity (workspace_id, kind, agent_id, task_id, run_id, detail)
  select
    c.workspace_id,
    case when c.cancel_reason in ('retry_stale_assignee', 'retry_task_cancelled') then 'wakeup_retry_cancelled'
      else 'wakeup_stale_cancelled' end,
    c.agent_id, c.task_id, c.id, jsonb_build_object('reason', c.cancel_reason)
  from cancelled as c;
end
$$;

comment on function office_internal.settle_queued(uuid[]) is 'Ends queued runs that must not launch.';
