-- office_internal.why_worker: what a worker does, as rows of why (I9): since when it works, what it runs of what the caller sees, how it
-- ended, or until when it is trusted to live.
create or replace function office_internal.why_worker(worker_id uuid)
returns table (at timestamptz, event text, detail text, lasted interval, lift text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := office_internal.wall_clock();
  v_worker office.workers;
begin
  select k.* into v_worker from office.workers as k where k.id = why_worker.worker_id;
  return query
    select
      v_worker.registered_at, 'registered',
      format('on %s%s, for %s runs at once', v_worker.host, ', pid ' || v_worker.pid, v_worker.max_runs),
      coalesce(v_worker.ended_at, v_now) - v_worker.registered_at, null::text;
  return query
    select
      r.claimed_at, office.run_label(r.status, r.result), format('r%s of %s', r.number, a.name), v_now - r.claimed_at,
      format('select * from office.stop(''r%s'');', r.number)
    from office.runs as r
    join office.agents as a on a.id = r.agent_id
    where r.worker_id = v_worker.id and r.status in ('claimed', 'running', 'waiting', 'stopping')
      and r.workspace_id in (select office.visible_workspaces())
    order by r.claimed_at, r.number;
  return query
    select
      coalesce(v_worker.ended_at, v_now),
      case
        when v_worker.ended_at is not null then 'ended'
        when v_worker.lease_until <= v_now then 'is silent'
        when v_worker.draining then 'drains'
        else 'lives'
      end,
      case
        when v_worker.ended_at is not null then v_worker.end_reason
        when v_worker.lease_until <= v_now then 'its lease has run out'
        when v_worker.draining then 'it claims no more'
        else 'until ' || v_worker.lease_until || ' unless it says so again'
      end,
      v_now - case when v_worker.ended_at is null then v_worker.beat_at end,
      case when v_worker.ended_at is null and v_worker.lease_until <= v_now then 'select * from office.maintain();' end;
end
$$;

comment on function office_internal.why_worker(uuid) is 'What a worker does, and whether it lives.';
