-- office_internal.take_attempt: the run of a live attempt, with its gate taken; read after that.
-- Refuses an unknown attempt (not_found), one that is no longer its run's live one (attempt_superseded).
create or replace function office_internal.take_attempt(attempt_id uuid)
returns office.runs
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run office.runs;
begin
  perform office_internal.take_gates_of_attempts(array[take_attempt.attempt_id]);
  select r.* into v_run
  from office.attempts as a
  join office.runs as r on r.id = a.run_id and r.attempt_id = a.id
  where a.id = take_attempt.attempt_id and a.ended_at is null;
  if v_run.id is null then
    perform office_internal.attempt_is_over(take_attempt.attempt_id);
  end if;
  return v_run;
end
$$;

comment on function office_internal.take_attempt(uuid) is 'Run of a live attempt, under its gate.';
