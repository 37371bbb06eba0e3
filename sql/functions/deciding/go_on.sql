-- office_internal.go_on: runs that wait for nothing any more go on (D9): with a live program as running, which hears of its answers by
-- the heartbeat; without one they are queued again, for the same attempt, on the slot that they hold (S3). A live program that a person
-- paused meanwhile is asked to stop, and goes on after the pause (P1). The caller holds the gates.
create or replace function office_internal.go_on(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_paused uuid[];
begin
  if coalesce(cardinality(run_ids), 0) = 0 then
    return;
  end if;
  -- Its worker's row may have been ended by hand.
  update office.attempts as a
  set left_at = v_now
  from office.runs as r
  join office.workers as w on w.id = r.worker_id and w.ended_at is not null
  where r.id = any(run_ids) and r.status is not distinct from 'waiting'
    and a.id = r.attempt_id and a.ended_at is null and a.left_at is null;
  update office.runs as r
  set status = case when a.left_at is null then 'running' else 'queued' end,
    answered_at = case when a.left_at is not null then v_now end
  from office.attempts as a
  where r.id = any(run_ids) and r.status is not distinct from 'waiting' and a.id = r.attempt_id and a.ended_at is null
    and not exists (
      select
      from office.decisions as d
      where d.attempt_id = a.id and d.status = 'pending' and d.kind in ('question', 'permission', 'publish')
    );
  v_paused := array(
    select r.id
    from office.runs as r
    join office.agents as g on g.id = r.agent_id
    where r.id = any(run_ids) and r.status is not distinct from 'running'
      and (g.status = 'paused' and g.paused_by = 'person'
        or exists (select from office_internal.gates as o where o.workspace_id = r.workspace_id and (o.paused or o.paused_with_all)))
  );
  if cardinality(v_paused) > 0 then
    perform office_internal.stop_live(v_paused, 'paused');
  end if;
end
$$;

comment on function office_internal.go_on(uuid[]) is 'Lets waiting runs go on for which nothing is open any more.';
