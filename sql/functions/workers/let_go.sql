-- office_internal.let_go: live runs lose their worker (Q22, P3): not started: queued again, no retry counted; started: interrupted, with
-- an inbox item (on_interrupt = retry: queued again); stopping: ended as their stop says. Waiting ones are left to wait.
-- The caller holds the gates.
create or replace function office_internal.let_go(run_ids uuid[], reason text)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  update office.attempts as a
  set ended_at = v_now,
    error = let_go.reason,
    outcome = case r.status when 'stopping' then 'stopped' when 'claimed' then 'released' else 'interrupted' end
  from office.runs as r
  where r.id = any(run_ids) and r.status in ('claimed', 'running', 'stopping') and a.id = r.attempt_id and a.ended_at is null;
  perform office_internal.end_stopped(array(
    select r.id from office.runs as r where r.id = any(run_ids) and r.status = 'stopping'
  ));
  update office.runs as r
  set status = 'queued', claimed_at = null
  where r.id = any(run_ids)
    and (r.status = 'claimed'
      or (r.status = 'running' and office_internal.setting('on_interrupt', r.workspace_id) = 'retry'));
  perform office_internal.park_runs(run_ids);
  with interrupted as (
    update office.runs as r
    set status = 'interrupted', ended_at = v_now
    where r.id = any(run_ids) and r.status = 'running'
    returning r.*
  )
  insert into office.inbox_items (workspace_id, kind, title, body, agent_id, task_id, run_id, dedup_key)
  select
    i.workspace_id, 'run.interrupted', format('r%s of %s was interrupted', i.number, a.name),
    format(
      'While its program ran %s; what it had done is unknown. Try again: select * from office.retry_run(%L);',
      let_go.reason, 'r' || i.number
    ),
    i.agent_id, i.task_id, i.id, format('run.interrupted:%s', i.id)
  from interrupted as i
  join office.agents as a on a.id = i.agent_id
  -- A taskless periodic run is only marked: its next tick is its retry.
  where i.class = 'event' or i.task_id is not null
  on conflict do nothing;
end
$$;

comment on function office_internal.let_go(uuid[], text) is 'Settles live runs that lose their worker.';
