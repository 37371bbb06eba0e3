-- office_internal.fail_claim: settles a run whose claim raised: a failed attempt that never started, and its retry (Q13, Q18).
-- The caller holds the gate.
create or replace function office_internal.fail_claim(run_id uuid, worker_id uuid, error text)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_attempt uuid := office.uuid7();
begin
  insert into office.attempts (id, run_id, workspace_id, number, worker_id, claimed_at, ended_at, outcome, error, cleaned_at)
  select
    v_attempt, r.id, r.workspace_id, (select count(*) + 1 from office.attempts as a where a.run_id = r.id),
    fail_claim.worker_id, v_now, v_now, 'failed', 'claim_error: ' || fail_claim.error, v_now
  from office.runs as r
  where r.id = fail_claim.run_id;
  update office.runs as r set attempt_id = v_attempt where r.id = fail_claim.run_id;
  perform office_internal.retry_or_give_up(fail_claim.run_id, 'claim_error: ' || fail_claim.error);
end
$$;

comment on function office_internal.fail_claim(uuid, uuid, text) is 'Settles a run whose claim raised.';
