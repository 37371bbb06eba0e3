-- office_internal.settle_holds: holds that would otherwise stay as they are (Q25): one that has passed and for which nobody waits or
-- tries is over; a probe that is under way no more, by a hand that removed its run, gives its place free. Answers how many. Takes
-- the accounts' shared rows; an account that a claim is deciding on is left for the next call.
create or replace function office_internal.settle_holds()
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_hold office.provider_holds;
  v_settled integer := 0;
begin
  for v_hold in
    select h.*
    from office.provider_holds as h
    where h.ended_at is null and h.until <= v_now and not office_internal.is_probing(h.probe_run_id)
    order by h.provider
  loop
    perform from office_internal.shared as s where s.key = 'provider:' || v_hold.provider for no key update skip locked;
    continue when not found;
    if not exists (
      select
      from office.executors as x
      join office.runs as r on r.executor_id = x.id and r.status = 'queued'
      where x.provider = v_hold.provider and (v_hold.model is null or x.model = v_hold.model)
    ) then
      update office.provider_holds as h
      set ended_at = v_now, ended_by = 'time'
      where h.id = v_hold.id and h.ended_at is null and h.until <= v_now and not office_internal.is_probing(h.probe_run_id);
    else
      update office.provider_holds as h
      set probe_run_id = null
      where h.id = v_hold.id and h.ended_at is null and h.probe_run_id is not null and not office_internal.is_probing(h.probe_run_id);
    end if;
    v_settled := v_settled + case when found then 1 else 0 end;
  end loop;
  return v_settled;
end
$$;

comment on function office_internal.settle_holds() is 'Ends holds that have passed; frees the place of probes that are gone.';
