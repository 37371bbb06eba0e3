-- office_internal.renew_summaries: the continuation summaries of those of these runs that are taskless and have succeeded (C5). When the
-- builder fails, each run is summed up alone; the one that fails keeps the last good summary, stays finished, and activity says so.
-- The caller holds the gates.
create or replace function office_internal.renew_summaries(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
  v_error text;
begin
  begin
    perform office_internal.write_summaries(run_ids);
    return;
  exception
    when serialization_failure or deadlock_detected or lock_not_available or read_only_sql_transaction then
      raise;
    when others then
      v_error := sqlerrm;
  end;
  if cardinality(run_ids) > 1 then
    foreach v_id in array run_ids loop
      perform office_internal.renew_summaries(array[v_id]);
    end loop;
  else
    perform office_internal.remember(
      r.workspace_id, 'summary_failed', jsonb_build_object('error', v_error), null, r.agent_id, null, r.id, r.attempt_id
    )
    from office.runs as r
    where r.id = run_ids[1];
  end if;
end
$$;

comment on function office_internal.renew_summaries(uuid[]) is 'Sums up taskless runs that have succeeded; fails for each alone.';
