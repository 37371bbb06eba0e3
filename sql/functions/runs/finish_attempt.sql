-- office.finish_attempt: a program ended well (Q16): finish_attempts for one, refusing what that reports.
-- Refuses an unknown attempt (not_found), one that ended otherwise (already_ended, attempt_superseded). Takes the gate.
create or replace function office.finish_attempt(
  attempt_id uuid,
  result jsonb default '{}',
  exit_code integer default null,
  launch integer default null
)
returns table (run_id uuid, status text, outcome text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_end record;
begin
  perform office_internal.check_object('result', coalesce(finish_attempt.result, '{}'));
  select * into v_end
  from office.finish_attempts(jsonb_build_array(jsonb_build_object(
    'attempt_id', finish_attempt.attempt_id, 'result', finish_attempt.result, 'exit_code', finish_attempt.exit_code,
    'launch', finish_attempt.launch
  )));
  if v_end.refused is not null then
    perform office_internal.attempt_is_over(finish_attempt.attempt_id);
  end if;
  return query select v_end.run_id, v_end.status, v_end.outcome;
end
$$;

comment on function office.finish_attempt(uuid, jsonb, integer, integer) is 'Ends an attempt whose program did its work.';
