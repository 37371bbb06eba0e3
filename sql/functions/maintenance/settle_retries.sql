-- office_internal.settle_retries: due retries that nobody wants any more, for their task has another or is cancelled, end as the claim
-- would end them (Q20), also where nobody claims. Answers how many. Takes the gates of their workspaces, in ascending order.
create or replace function office_internal.settle_retries()
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_due uuid[] := array(
    select r.id
    from office_internal.gates as g
    join office.runs as r on r.workspace_id = g.workspace_id and r.status = 'queued' and r.due_at <= v_now
    where g.due_at <= v_now and r.parked = 'retry' and r.retry_count > 0 and r.task_id is not null
  );
  v_stale uuid[] := array(select s.run_id from office_internal.stale_runs(v_due) as s);
begin
  if cardinality(v_stale) = 0 then
    return 0;
  end if;
  perform office_internal.take_gates(array(select distinct r.workspace_id from office.runs as r where r.id = any(v_stale)));
  perform office_internal.settle_queued(v_stale);
  return (select count(*) from office.runs as r where r.id = any(v_stale) and r.ended_at is not null);
end
$$;

comment on function office_internal.settle_retries() is 'Ends due retries that nobody wants any more.';
