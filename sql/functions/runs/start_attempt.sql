-- office.start_attempt: a worker says that an attempt's program runs (Q16): start_attempts for one, refusing what that reports.
-- Refuses an attempt that is not its run's live one (attempt_superseded), an unknown one (not_found). Takes the gate.
create or replace function office.start_attempt(
  attempt_id uuid,
  pid integer default null,
  engine_session text default null,
  launch integer default null
)
returns table (run_id uuid, status text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_start record;
begin
  select * into v_start
  from office.start_attempts(jsonb_build_array(jsonb_build_object(
    'attempt_id', start_attempt.attempt_id, 'pid', start_attempt.pid, 'engine_session', start_attempt.engine_session,
    'launch', start_attempt.launch
  )));
  if v_start.refused is not null then
    perform office_internal.attempt_is_over(start_attempt.attempt_id);
  end if;
  return query select v_start.run_id, v_start.status;
end
$$;

comment on function office.start_attempt(uuid, integer, text, integer) is 'Says that an attempt''s program runs.';
