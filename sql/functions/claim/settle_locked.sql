-- office_internal.settle_locked: ends assignees' runs whose task another assignee's run has locked: finished/checkout_lost, no retry
-- (Q13.5). Those that wait for a lock are parked by what holds them. The caller holds the gates.
create or replace function office_internal.settle_locked(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (
    select
    from office.runs as r
    join office.checkouts as c on c.task_id = r.task_id and c.checkout_run_id <> r.id
    where r.id = any(run_ids)
  ) then
    return;
  end if;
  update office.runs as r
  set status = 'finished', outcome = 'checkout_lost', ended_at = office_internal.wall_clock()
  from office.checkouts as c
  where r.id = any(run_ids) and r.status is not distinct from 'queued'
    and c.task_id = r.task_id and c.checkout_run_id <> r.id
    and exists (select from office.wakeups as w where w.run_id = r.id and w.addresses = 'assignee')
    and office_internal.makes_checkout_lost(c.checkout_run_id, r.workspace_id);
end
$$;

comment on function office_internal.settle_locked(uuid[]) is 'Ends assignees'' runs that lost their task''s lock.';
