-- office_internal.stop_live: asks live runs to stop, and keeps why (P1, P2); the heartbeat and a notification tell their launchers. A
-- stop overrides a pause. One that has no program, but an answer to wait for, ends at once. The caller holds the gates.
create or replace function office_internal.stop_live(run_ids uuid[], reason text)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if coalesce(cardinality(run_ids), 0) = 0 then
    return;
  end if;
  update office.runs as r
  set status = 'stopping', stop_reason = stop_live.reason
  where r.id = any(run_ids)
    and (r.status in ('claimed', 'running')
      or (r.status = 'waiting' and stop_live.reason <> 'paused')
      or (r.status = 'stopping' and r.stop_reason = 'paused'));
  -- A stop is final: nobody need answer any more.
  perform office_internal.close_decisions(array(
    select r.attempt_id from office.runs as r where r.id = any(run_ids) and r.status = 'stopping' and r.stop_reason <> 'paused'
  ));
  -- Without a program there is nothing to wait for.
  perform office_internal.end_stopped(array(
    select r.id
    from office.runs as r
    join office.attempts as a on a.id = r.attempt_id and a.left_at is not null
    where r.id = any(run_ids) and r.status = 'stopping'
  ));
  perform pg_notify('office_stop', '');
end
$$;

comment on function office_internal.stop_live(uuid[], text) is 'Asks live runs to stop, for a reason.';
