-- office_internal.end_stopped: ends runs that were stopped: cancelled/stopped. Queued ones end so at once. The caller holds the gates.
create or replace function office_internal.end_stopped(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.runs as r
  set status = 'cancelled', cancel_reason = 'stopped', parked = null, due_at = null, ended_at = office_internal.wall_clock()
  where r.id = any(run_ids) and r.status in ('queued', 'stopping');
end
$$;

comment on function office_internal.end_stopped(uuid[]) is 'Ends stopped runs as cancelled.';
