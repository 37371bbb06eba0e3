-- office_internal.retry_or_give_up: after a failure: the same run is queued again, or, after max_retry_count retries, gives up:
-- failed, an inbox item, and a wake for the one who leads (Q18). It is tried again 30 s after the reset of the limit that its error
-- told of (Q19), else after 2 min, 10 min, 30 min, 2 h, each plus up to a quarter, never earlier. requested_at is kept. The attempt
-- and the activity say which it was. A limit with a reset holds the provider account for everybody, and so does any that its probe
-- hits, until that is tried again (Q25). A run that may launch something else, which is not on hold, does so at once (X7).
-- The caller holds the gate and has ended the attempt.
create or replace function office_internal.retry_or_give_up(run_id uuid, error text, said office_internal.said_limit default null)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run office.runs;
  v_now timestamptz := office_internal.wall_clock();
  v_delays constant interval[] := array['2 minutes', '10 minutes', '30 minutes', '2 hours']::interval[];
  v_buffer constant interval := interval '30 seconds';
  v_reset timestamptz := said.reset_at;
  v_source text;
  v_at timestamptz;
  v_paused text;
begin
  select * into v_run from office.runs as r where r.id = retry_or_give_up.run_id;
  v_source := case when v_reset is null then 'backoff' else 'rate_limit_parsed' end;
  v_at := coalesce(
    v_reset + v_buffer,
    v_now + v_delays[least(v_run.retry_count + 1, cardinality(v_delays))] * (1 + 0.25 * random())
  );
  if v_reset is not null or (said.is_limit and exists (
    select from office.provider_holds as h where h.probe_run_id = v_run.id and h.ended_at is null
  )) then
    perform office_internal.note_limit(v_run.id, said.model, v_at);
    -- What its profile lists beside need not wait for that (X7).
    if exists (select from office_internal.best_choices(array[v_run.id], v_now) as b where b.free) then
      v_at := v_now;
    end if;
  end if;
  if v_run.retry_count < office_internal.setting('max_retry_count', v_run.workspace_id)::integer then
    update office.attempts as a set retry_source = v_source, parsed_reset_at = v_reset where a.id = v_run.attempt_id;
    perform office_internal.remember(
      v_run.workspace_id, 'retry_scheduled',
      jsonb_build_object(
        'retry_source', v_source, 'parsed_reset_at', to_char(v_reset at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'retry', v_run.retry_count + 1, 'reason', case v_source when 'backoff' then 'back-off' else 'the limit''s reset' end
      ),
      null, v_run.agent_id, v_run.task_id, v_run.id
    );
    update office.runs as r
    set status = 'queued', retry_count = r.retry_count + 1, scheduled_retry_at = v_at, claimed_at = null,
      parked = 'retry', due_at = v_at
    where r.id = v_run.id;
  else
    update office.runs as r set status = 'failed', ended_at = v_now, parked = null, due_at = null where r.id = v_run.id;
    -- What never reached the agent, or was turned away by its provider, is no fault of the agent's.
    if said.is_limit is not true and exists (
      select from office.attempts as a where a.id = v_run.attempt_id and a.started_at is not null
    ) then
      v_paused := office_internal.count_give_up(v_run.id);
    end if;
    perform office_internal.escalate(v_run.id, 'agent.error', 'gave up', concat_ws(E'\n', error, v_paused));
  end if;
  -- One whose claim raised was admitted as a probe, and never ran: no end of it has told so.
  if v_run.status = 'queued' then
    perform office_internal.follow_providers(array[v_run.id]);
  end if;
end
$$;

comment on function office_internal.retry_or_give_up(uuid, text, office_internal.said_limit)
is 'Queues a failed run again, or lets it give up.';
