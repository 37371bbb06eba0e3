-- office_internal.park_runs: takes held runs out of their lane, and puts freed ones back (A15). The caller holds the gate.
create or replace function office_internal.park_runs(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  if coalesce(cardinality(run_ids), 0) = 0 then
    return;
  end if;
  update office.runs as r
  set parked = h.hold, due_at = h.until, parked_detail = h.detail
  from office.runs as q
  left join office_internal.run_holds(run_ids, v_now) as h on h.run_id = q.id
  where q.id = any(run_ids) and r.id = q.id and r.status is not distinct from 'queued' and r.answered_at is null
    and (r.parked, r.due_at, r.parked_detail) is distinct from (h.hold, h.until, h.detail);
end
$$;

comment on function office_internal.park_runs(uuid[]) is 'Parks and un-parks queued runs by what holds them.';
