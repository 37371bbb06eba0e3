-- office_internal.attempt_is_over: refuses a call for an attempt that does not live (Q16, P5): unknown (not_found), ended with an
-- outcome that stands (already_ended), followed by another or launched again after an answer (attempt_superseded).
create or replace function office_internal.attempt_is_over(attempt_id uuid)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_attempt office.attempts;
  v_run office.runs;
begin
  select * into v_attempt from office.attempts as a where a.id = attempt_is_over.attempt_id;
  if v_attempt.id is null then
    perform office_internal.refuse(
      'not_found', format('No attempt "%s".', attempt_is_over.attempt_id), 'A claim answers with the attempts it makes.',
      jsonb_build_object('noun', 'attempt', 'given', attempt_is_over.attempt_id)
    );
  end if;
  select * into v_run from office.runs as r where r.id = v_attempt.run_id;
  if v_attempt.ended_at is null then
    perform office_internal.refuse(
      'attempt_superseded', format('Attempt %s of r%s was launched again.', v_attempt.number, v_run.number),
      'Stop its program; nothing was changed.',
      jsonb_build_object('run', 'r' || v_run.number, 'attempt', v_attempt.number, 'launch', v_attempt.launch, 'status', v_run.status)
    );
  end if;
  perform office_internal.refuse(
    case when v_run.attempt_id = v_attempt.id and v_run.ended_at is not null then 'already_ended' else 'attempt_superseded' end,
    format('Attempt %s of r%s is over: it ended %s.', v_attempt.number, v_run.number, v_attempt.outcome),
    'Stop its program; nothing was changed.',
    jsonb_build_object(
      'run', 'r' || v_run.number, 'attempt', v_attempt.number, 'outcome', v_attempt.outcome, 'status', v_run.status,
      'result', v_run.result
    )
  );
end
$$;

comment on function office_internal.attempt_is_over(uuid) is 'Refuses a call for an attempt that has ended.';
