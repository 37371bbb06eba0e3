-- office_internal.fail_expired: runs that are to fail because nobody answered in time (D7): their attempt has failed, with the ordinary
-- retries (Q18). Those that wait no longer are left alone. The caller holds the gates.
create or replace function office_internal.fail_expired(decision_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_failed record;
begin
  for v_failed in
    select distinct on (r.id) r.id, r.attempt_id, format('d%s expired: nobody answered in time.', d.number) as error
    from office.decisions as d
    join office.runs as r on r.id = d.run_id and r.attempt_id = d.attempt_id and r.status is not distinct from 'waiting'
    where d.id = any(decision_ids)
    order by r.id, d.number
  loop
    update office.attempts as a
    set ended_at = office_internal.wall_clock(), outcome = 'failed', error = v_failed.error
    where a.id = v_failed.attempt_id and a.ended_at is null;
    if found then
      perform office_internal.retry_or_give_up(v_failed.id, v_failed.error);
    end if;
  end loop;
end
$$;

comment on function office_internal.fail_expired(uuid[]) is 'Fails runs that are to fail when nobody answers in time.';
