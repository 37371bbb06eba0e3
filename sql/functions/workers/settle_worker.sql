-- office_internal.settle_worker: ends a worker, and lets go of its runs (Q22, P3). Answers how many; a worker that ended already: 0.
-- Takes the gates of its runs in ascending order, then the worker's row.
create or replace function office_internal.settle_worker(worker_id uuid, reason text)
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz;
  v_gates uuid[];
  v_runs uuid[];
begin
  loop
    begin
      v_gates := array(
        select distinct r.workspace_id
        from office.runs as r
        where r.worker_id = settle_worker.worker_id and r.status in ('claimed', 'running', 'waiting', 'stopping')
      );
      perform office_internal.take_gates(v_gates);
      v_now := office_internal.wall_clock();
      -- Waits for claims of this worker that are under way; those that come later are refused.
      update office.workers as w
      set ended_at = v_now, draining = true, end_reason = settle_worker.reason
      where w.id = settle_worker.worker_id and w.ended_at is null
        -- Since the sweep looked it may have beaten after all.
        and (settle_worker.reason <> 'lease_lost' or w.lease_until < v_now);
      if not found then
        return 0;
      end if;
      exit when not exists (
        select
        from office.runs as r
        where r.worker_id = settle_worker.worker_id and r.status in ('claimed', 'running', 'waiting', 'stopping')
          and r.workspace_id <> all(v_gates)
      );
      raise exception 'A claim has come in between, under another gate.';
    exception when raise_exception then
      -- The locks of this turn are given back, so that gates are taken in order and before the row.
      null;
    end;
  end loop;
  update office.attempts as a
  set left_at = v_now
  from office.runs as r
  where r.worker_id = settle_worker.worker_id and r.status = 'waiting' and a.id = r.attempt_id and a.ended_at is null and a.left_at is null;
  -- Answered runs of its host may have waited for it to clean up.
  insert into office_internal.signals (workspace_id, kind)
  select distinct r.workspace_id, 'look'
  from office.workers as w
  join office.workers as k on k.host = w.host
  join office.attempts as a on a.worker_id = k.id and a.cleaned_at is null and a.left_at is not null
  join office.runs as r on r.attempt_id = a.id and r.status = 'queued' and r.answered_at is not null
  where w.id = settle_worker.worker_id;
  v_runs := array(
    select r.id from office.runs as r
    where r.worker_id = settle_worker.worker_id and r.status in ('claimed', 'running', 'stopping')
    order by r.id
  );
  perform office_internal.let_go(v_runs, format('its worker ended (%s)', settle_worker.reason));
  return cardinality(v_runs);
end
$$;

comment on function office_internal.settle_worker(uuid, text) is 'Lets go of a worker''s runs and ends it.';
