-- office_internal.let_go: live runs lose their worker (Q22, P3): not started: queued again, no retry counted; started: interrupted, and a
-- person decides (on_interrupt = retry: queued again); stopping: ended as their stop says. Waiting ones wait on: they have lost their
-- program, and the answer starts it again (D9); so it does when it was given before their program had heard of it.
-- The caller holds the gates.
create or replace function office_internal.let_go(run_ids uuid[], reason text)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  perform office_internal.wait_on(
    array(select r.attempt_id from office.runs as r where r.id = any(run_ids) and (r.status in ('running', 'stopping')) is true), true
  );
  update office.attempts as a
  set ended_at = v_now,
    error = let_go.reason,
    outcome = case r.status when 'stopping' then 'stopped' when 'claimed' then 'released' else 'interrupted' end
  from office.runs as r
  where r.id = any(run_ids) and r.status in ('claimed', 'running', 'stopping') and a.id = r.attempt_id and a.ended_at is null
    and not (r.status = 'claimed' and a.left_at is not null);
  perform office_internal.end_stopped(array(
    select r.id from office.runs as r where r.id = any(run_ids) and r.status = 'stopping'
  ));
  -- What was to go on after an answer still does.
  update office.runs as r
  set status = 'queued', claimed_at = null,
    answered_at = (select v_now from office.attempts as a where a.id = r.attempt_id and a.ended_at is null)
  where r.id = any(run_ids)
    and (r.status = 'claimed'
      or (r.status = 'running' and office_internal.setting('on_interrupt', r.workspace_id) = 'retry'));
  perform office_internal.park_runs(run_ids);
  update office.runs as r
  set status = 'interrupted', ended_at = v_now
  where r.id = any(run_ids) and r.status = 'running';
  perform office_internal.ask_about_interrupted(run_ids, let_go.reason);
end
$$;

comment on function office_internal.let_go(uuid[], text) is 'Settles live runs that lose their worker.';
