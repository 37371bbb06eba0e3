-- office_internal.stop_live: asks live runs to stop; the heartbeat and a notification tell their launchers (P2). A run that waits for
-- a decision without a program has nobody to tell: it ends here. The caller holds the gates.
create or replace function office_internal.stop_live(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if coalesce(cardinality(run_ids), 0) = 0 then
    return;
  end if;
  update office.runs as r
  set status = 'stopping'
  where r.id = any(run_ids) and r.status in ('claimed', 'running', 'waiting');
  perform pg_notify('office_stop', '');
end
$$;

comment on function office_internal.stop_live(uuid[]) is 'Asks live runs to stop.';
