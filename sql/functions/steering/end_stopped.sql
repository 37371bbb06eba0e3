-- office_internal.end_stopped: ends runs that were asked to stop (P1, P2): those that a pause stopped are queued again, their retry count
-- kept; the others are cancelled, with why. Queued ones are cancelled at once. The caller holds the gates.
create or replace function office_internal.end_stopped(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_paused uuid[];
begin
  if coalesce(cardinality(run_ids), 0) = 0 then
    return;
  end if;
  v_paused := array(
    select r.id
    from office.runs as r
    where r.id = any(run_ids) and r.status is not distinct from 'stopping' and r.stop_reason = 'paused'
  );
  update office.runs as r
  set status = 'cancelled', parked = null, due_at = null, ended_at = office_internal.wall_clock(),
    cancel_reason = case r.stop_reason
      when 'task_cancelled' then 'task_terminal'
      when 'assignee_changed' then 'assignee_changed'
      else 'stopped'
    end
  where r.id = any(run_ids) and (r.status in ('queued', 'stopping')) is true and not r.id = any(v_paused);
  -- What was to go on after an answer still does.
  update office.runs as r
  set status = 'queued', claimed_at = null,
    answered_at = (
      select office_internal.wall_clock()
      from office.attempts as a
      where a.id = r.attempt_id and a.ended_at is null and a.left_at is not null
    )
  where r.id = any(v_paused) and r.status is not distinct from 'stopping';
  perform office_internal.settle_queued(v_paused);
  perform office_internal.park_runs(v_paused);
end
$$;

comment on function office_internal.end_stopped(uuid[]) is 'Ends stopped runs: cancelled, or queued again after a pause.';
