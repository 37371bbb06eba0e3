-- office_internal.count_worked: the attempts of runs that rest now, because a person is to answer, have worked up to now; those of runs
-- that go on work from now on (S6). The caller holds the gates.
create or replace function office_internal.count_worked(resting_run_ids uuid[], going_on_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  update office.attempts as a
  set worked = coalesce(a.worked, '0') + greatest(v_now - coalesce(a.working_since, a.started_at, v_now), '0')
  from office.runs as r
  where r.id = any(resting_run_ids) and a.id = r.attempt_id and a.ended_at is null;
  update office.attempts as a
  set working_since = v_now
  from office.runs as r
  where r.id = any(going_on_run_ids) and a.id = r.attempt_id and a.ended_at is null;
end
$$;

comment on function office_internal.count_worked(uuid[], uuid[]) is 'Counts how long attempts have worked, without their waits.';
