-- office_internal.sweep_leases: settles the runs of workers whose lease has run out (Q22). Sleep and fail-over are not the workers'
-- fault: when the last pass is more than two periods ago, or the server started since, every lease is renewed once instead.
-- Two sweeps at once: the second does nothing. Answers how many runs were let go.
-- Takes the gates of one worker's runs after the other's, in a transaction that ends soon.
create or replace function office_internal.sweep_leases()
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_period interval := make_interval(secs => office_internal.setting('sweep_seconds')::integer);
  v_passed timestamptz;
  v_worker uuid;
begin
  insert into office_internal.sweeps (name, passed_at) values ('leases', '-infinity') on conflict do nothing;
  select s.passed_at into v_passed from office_internal.sweeps as s where s.name = 'leases' for no key update skip locked;
  if not found then
    return 0;
  end if;
  update office_internal.sweeps as s set passed_at = v_now where s.name = 'leases';
  if v_passed < v_now - 2 * v_period or v_passed < pg_postmaster_start_time() then
    update office.workers as w
    set lease_until = v_now + make_interval(secs => office_internal.setting('worker_lease_seconds')::integer)
    where w.ended_at is null;
    return 0;
  end if;
  -- One worker a pass, so that gates of different workers are never held together out of order.
  select w.id into v_worker
  from office.workers as w
  where w.ended_at is null and w.lease_until < v_now
  order by w.lease_until
  limit 1;
  if v_worker is null then
    return 0;
  end if;
  return office_internal.settle_worker(v_worker, 'lease_lost');
end
$$;

comment on function office_internal.sweep_leases() is 'Settles runs of workers whose lease has run out.';
