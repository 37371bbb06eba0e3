-- office_internal.move_wakeups: a run's event wakeups past a place go to another run, behind those it has; answers how many.
-- After 0 all of them go, periodic ones too. The caller holds the gate and counts.
create or replace function office_internal.move_wakeups(from_run uuid, to_run uuid, behind integer, past integer)
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_moved integer;
begin
  update office.wakeups as w
  set run_id = to_run, position = behind + m.place, status = case when w.status = 'claimed' and past = 0 then 'coalesced' else w.status end
  from (
    select p.id, row_number() over (order by p.position) as place
    from office.wakeups as p
    where p.run_id = from_run and p.position > past and (past = 0 or p.class = 'event') and p.status in ('claimed', 'coalesced')
  ) as m
  where w.id = m.id;
  get diagnostics v_moved = row_count;
  return v_moved;
end
$$;

comment on function office_internal.move_wakeups(uuid, uuid, integer, integer) is 'Moves wakeups from one run to another.';
