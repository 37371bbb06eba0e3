-- office.fail_attempt: a program failed. cause 'failure': the run is queued again after a back-off, or gives up (Q18);
-- 'configuration': no such program, folder, login: the run is blocked, with an inbox item that says what to mend (Q23);
-- 'limit': a limit of one attempt was reached: blocked likewise (S6), as is one that was asked to stop for that. A provider's
-- limit that only a person can lift blocks, too (Q24); one that resets puts the account on hold (Q25). What is read for that is this error
-- alone - exit message, error events, stderr - and never a step; it is read before the gate is taken. A run that was asked to stop
-- ends as its stop says (P1, P2). Failing again is a no-op. Refuses unknown causes (invalid), an unknown attempt (not_found), one
-- that ended otherwise or was launched again (already_ended, attempt_superseded). Takes the gate.
create or replace function office.fail_attempt(
  attempt_id uuid,
  error text,
  cause text default 'failure',
  exit_code integer default null,
  launch integer default null
)
returns table (run_id uuid, status text, result text, scheduled_retry_at timestamptz)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_attempt office.attempts;
  v_run office.runs;
  v_error text := left(coalesce(fail_attempt.error, 'failed'), 8000);
  v_said office_internal.said_limit;
  v_reached text;
begin
  if coalesce(fail_attempt.cause, '') not in ('failure', 'configuration', 'limit') then
    perform office_internal.refuse(
      'invalid', format('No cause "%s".', fail_attempt.cause), 'failure, configuration or limit.', jsonb_build_object('field', 'cause')
    );
  end if;
  if fail_attempt.cause = 'failure' then
    v_said := office_internal.read_limit(fail_attempt.attempt_id, v_error);
  end if;
  perform office_internal.take_gates_of_attempts(array[fail_attempt.attempt_id]);
  select * into v_attempt from office.attempts as a where a.id = fail_attempt.attempt_id;
  if fail_attempt.launch <> v_attempt.launch then
    perform office_internal.attempt_is_over(fail_attempt.attempt_id);
  end if;
  perform office_internal.wait_on(array[fail_attempt.attempt_id], false);
  select * into v_attempt from office.attempts as a where a.id = fail_attempt.attempt_id;
  select * into v_run from office.runs as r where r.id = v_attempt.run_id;
  if v_attempt.ended_at is null and v_attempt.left_at is not null then
    -- Its end is not its run's: that waits for an answer (D9).
    null;
  elsif v_attempt.ended_at is null and v_run.attempt_id = v_attempt.id then
    v_reached := office_internal.limit_reached(v_attempt.id);
    update office.attempts as a
    set ended_at = office_internal.wall_clock(), error = concat_ws(E'\n', v_reached, v_error), exit_code = fail_attempt.exit_code,
      outcome = case
        when v_run.status = 'stopping' then 'stopped'
        when fail_attempt.cause = 'failure' and v_reached is null and v_said.pattern is distinct from 'credit' then 'failed'
        else 'blocked'
      end
    where a.id = v_attempt.id
    returning a.* into v_attempt;
    if v_run.status = 'stopping' then
      perform office_internal.end_stopped(array[v_run.id]);
    elsif v_attempt.outcome = 'failed' then
      perform office_internal.retry_or_give_up(v_run.id, v_error, v_said);
    else
      perform office_internal.block_run(v_run.id, v_attempt.error, fail_attempt.cause = 'limit' or v_reached is not null);
    end if;
  elsif v_attempt.outcome is null or v_attempt.outcome not in ('failed', 'stopped', 'blocked') then
    perform office_internal.attempt_is_over(fail_attempt.attempt_id);
  end if;
  return query
    select r.id, r.status, r.result, r.scheduled_retry_at
    from office.runs as r
    where r.id = v_attempt.run_id;
end
$$;

comment on function office.fail_attempt(uuid, text, text, integer, integer)
is 'Ends an attempt whose program failed; says when it is tried again.';
