-- office_internal.retry_or_give_up: after a failure: the same run is queued again with its back-off, or, after max_retry_count
-- retries, gives up: failed, an inbox item, and a wake for the one who leads (Q18). 2 min, 10 min, 30 min, 2 h, each plus up
-- to a quarter, never earlier. requested_at is kept. The caller holds the gate and has ended the attempt.
create or replace function office_internal.retry_or_give_up(run_id uuid, error text)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run office.runs;
  v_now timestamptz := office_internal.wall_clock();
  v_delays constant interval[] := array['2 minutes', '10 minutes', '30 minutes', '2 hours']::interval[];
  v_at timestamptz;
begin
  select * into v_run from office.runs as r where r.id = retry_or_give_up.run_id;
  if v_run.retry_count < office_internal.setting('max_retry_count', v_run.workspace_id)::integer then
    v_at := v_now + v_delays[least(v_run.retry_count + 1, cardinality(v_delays))] * (1 + 0.25 * random());
    update office.runs as r
    set status = 'queued', retry_count = r.retry_count + 1, scheduled_retry_at = v_at, claimed_at = null,
      parked = 'retry', due_at = v_at
    where r.id = v_run.id;
    return;
  end if;
  update office.runs as r set status = 'failed', ended_at = v_now, parked = null, due_at = null where r.id = v_run.id;
  perform office_internal.escalate(v_run.id, 'agent.error', 'gave up', error);
end
$$;

comment on function office_internal.retry_or_give_up(uuid, text) is 'Queues a failed run again, or lets it give up.';
