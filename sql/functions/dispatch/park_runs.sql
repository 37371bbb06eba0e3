-- office_internal.park_runs: takes held runs out of their lane, and puts freed ones back (A15). The caller holds the gates.
create or replace function office_internal.park_runs(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_runs uuid[];
  v_holds text[];
  v_untils timestamptz[];
  v_details text[];
begin
  if coalesce(cardinality(run_ids), 0) = 0 then
    return;
  end if;
  -- Looked at first: what is usual, that nothing changes, writes nothing and fires nothing.
  select array_agg(q.id), array_agg(h.hold), array_agg(h.until), array_agg(h.detail)
  into v_runs, v_holds, v_untils, v_details
  from office.runs as q
  left join office_internal.run_holds(run_ids, v_now) as h on h.run_id = q.id
  where q.id = any(run_ids) and q.status is not distinct from 'queued' and q.answered_at is null
    and (q.parked, q.due_at, q.parked_detail) is distinct from (h.hold, h.until, h.detail);
  if v_runs is null then
    return;
  end if;
  update office.runs as r
  set parked = h.hold, due_at = h.until, parked_detail = h.detail
  from unnest(v_runs, v_holds, v_untils, v_details) as h (run_id, hold, until, detail)
  where r.id = h.run_id and r.status is not distinct from 'queued' and r.answered_at is null;
end
$$;

comment on function office_internal.park_runs(uuid[]) is 'Parks and un-parks queued runs by what holds them.';
