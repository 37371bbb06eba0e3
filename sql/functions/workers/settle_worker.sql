-- office_internal.settle_worker: lets go of a worker's runs (Q22, P3): not started: queued again, no retry counted; started: interrupted,
-- with an inbox item (on_interrupt = retry: queued again); stopping: cancelled; waiting for a decision: left to wait.
-- The worker ends with the reason. Answers how many runs were let go; a worker that ended already: 0.
-- Takes the gates of its runs in ascending order, then the worker's row.
create or replace function office_internal.settle_worker(worker_id uuid, reason text)
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz;
  v_runs uuid[];
begin
  perform office_internal.take_gates(array(
    select distinct r.workspace_id
    from office.runs as r
    where r.worker_id = settle_worker.worker_id and r.status in ('claimed', 'running', 'waiting', 'stopping')
  ));
  v_now := office_internal.wall_clock();
  update office.workers as w
  set ended_at = v_now, draining = true, end_reason = settle_worker.reason
  where w.id = settle_worker.worker_id and w.ended_at is null
    -- Since the sweep looked it may have beaten after all.
    and (settle_worker.reason <> 'lease_lost' or w.lease_until < v_now);
  if not found then
    return 0;
  end if;
  v_runs := array(
    select r.id from office.runs as r
    where r.worker_id = settle_worker.worker_id and r.status in ('claimed', 'running', 'stopping')
      and office_internal.holds_gate(r.workspace_id)
    order by r.id
  );
  update office.attempts as a
  set ended_at = v_now,
    error = format('its worker ended: %s', settle_worker.reason),
    outcome = case r.status when 'stopping' then 'stopped' when 'claimed' then 'released' else 'interrupted' end
  from office.runs as r
  where r.id = any(v_runs) and a.id = r.attempt_id and a.ended_at is null;
  perform office_internal.end_stopped(v_runs);
  update office.runs as r
  set status = 'queued', claimed_at = null
  where r.id = any(v_runs)
    and (r.status = 'claimed'
      or (r.status = 'running' and office_internal.setting('on_interrupt', r.workspace_id) = 'retry'));
  perform office_internal.park_runs(v_runs);
  with interrupted as (
    update office.runs as r
    set status = 'interrupted', ended_at = v_now
    where r.id = any(v_runs) and r.status = 'running'
    returning r.*
  )
  insert into office.inbox_items (workspace_id, kind, title, body, agent_id, task_id, run_id, dedup_key)
  select
    i.workspace_id, 'run.interrupted', format('r%s of %s was interrupted', i.number, a.name),
    format(
      'Its worker ended (%s) while its program ran; what it had done is unknown. Try again: select * from office.retry_run(%L);',
      settle_worker.reason, 'r' || i.number
    ),
    i.agent_id, i.task_id, i.id, format('run.interrupted:%s', i.id)
  from interrupted as i
  join office.agents as a on a.id = i.agent_id
  -- A taskless periodic run is only marked: its next tick is its retry.
  where i.class = 'event' or i.task_id is not null
  on conflict do nothing;
  return cardinality(v_runs);
end
$$;

comment on function office_internal.settle_worker(uuid, text) is 'Lets go of a worker''s runs and ends it.';
