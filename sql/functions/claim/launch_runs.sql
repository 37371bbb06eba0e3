-- office_internal.launch_runs: claims these runs: attempt, token, lock, prompt, and the row that a launcher needs (Q13.1, .5, .7, .8).
-- When the step of one raises, each is claimed alone, and the one that raises is settled as a failed attempt
-- (claim_error), so that it does not stop the others. The caller holds the gates and has cleared the runs.
create or replace function office_internal.launch_runs(run_ids uuid[], worker_id uuid)
returns setof office_internal.launch
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
  v_error text;
begin
  if cardinality(run_ids) = 0 then
    return;
  end if;
  begin
    return query select * from office_internal.make_launches(run_ids, launch_runs.worker_id);
    return;
  exception
    when serialization_failure or deadlock_detected or lock_not_available or read_only_sql_transaction then
      raise;
    when others then
      v_error := sqlerrm;
  end;
  if cardinality(run_ids) = 1 then
    perform office_internal.fail_claim(run_ids[1], launch_runs.worker_id, v_error);
  else
    foreach v_id in array run_ids loop
      return query select * from office_internal.launch_runs(array[v_id], launch_runs.worker_id);
    end loop;
  end if;
end
$$;

comment on function office_internal.launch_runs(uuid[], uuid) is 'Claims cleared runs; one that raises is settled alone.';
