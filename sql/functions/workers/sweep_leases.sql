-- office_internal.sweep_leases: once a period, settles the runs of workers whose lease has run out (Q22). Sleep and fail-over are not
-- the workers' fault: when the last pass is more than two periods ago, or the server started since, every lease is renewed
-- once instead. Two sweeps at once: the second does nothing. Answers how many runs were let go.
-- Takes the gates of all their runs, in ascending order.
create or replace function office_internal.sweep_leases()
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_period interval := make_interval(secs => office_internal.setting('sweep_seconds')::integer);
  v_passed timestamptz;
  v_dead uuid[];
  v_left uuid[];
  v_settled integer := 0;
begin
  -- Only when it is not there: the conflict alone would wait for a sweep that is under way.
  insert into office_internal.sweeps (name, passed_at)
  select 'leases', '-infinity'
  where not exists (select from office_internal.sweeps as s where s.name = 'leases')
  on conflict do nothing;
  select s.passed_at into v_passed from office_internal.sweeps as s where s.name = 'leases' for no key update skip locked;
  if not found then
    return 0;
  end if;
  if v_passed <= v_now and v_now < v_passed + v_period then
    return 0;
  end if;
  update office_internal.sweeps as s set passed_at = v_now where s.name = 'leases';
  -- Passes come no closer than the ticks do.
  if v_passed < v_now - 2 * greatest(v_period, make_interval(secs => office_internal.setting('worker_poll_seconds')::integer))
    or v_passed < pg_postmaster_start_time() then
    update office.workers as w
    set lease_until = v_now + make_interval(secs => office_internal.setting('worker_lease_seconds')::integer)
    where w.ended_at is null;
    return 0;
  end if;
  v_dead := array(
    select w.id from office.workers as w where w.ended_at is null and w.lease_until < v_now order by w.id
  );
  -- Live runs of a worker that has ended, by a hand that ended nothing but its row.
  v_left := array(
    select r.id
    from office.runs as r
    join office.workers as w on w.id = r.worker_id and w.ended_at is not null
    where r.status in ('claimed', 'running', 'stopping')
  );
  -- All gates at once: taken worker by worker they would be out of order.
  perform office_internal.take_gates(array(
    select distinct r.workspace_id
    from office.runs as r
    where (r.worker_id = any(v_dead) and r.status in ('claimed', 'running', 'waiting', 'stopping')) or r.id = any(v_left)
  ));
  select coalesce(sum(office_internal.settle_worker(d.id, 'lease_lost')), 0) into v_settled from unnest(v_dead) as d (id);
  perform office_internal.let_go(v_left, 'its worker had ended');
  return v_settled + cardinality(v_left);
end
$$;

comment on function office_internal.sweep_leases() is 'Settles runs of workers whose lease has run out.';
