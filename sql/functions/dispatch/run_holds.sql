-- office_internal.run_holds: what holds a queued run back by itself, and until when; one row a run that is held (Q6, Q12, Q13.5,
-- Q18). What holds its agent or workspace back is the lane's and the gate's. The dispatch parks by it, why explains by it.
--   retry: its back-off has not passed             window: its bursty wakes still gather
--   snooze, blocker: all its wakes wait for those  checkout: its task is locked by a run that it waits for
--   resource: a key it needs is held (S4)          provider: its account is on hold or full (Q25, S6)
create or replace function office_internal.run_holds(run_ids uuid[], at timestamptz)
returns table (run_id uuid, hold text, until timestamptz, detail text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select r.id, h.hold, h.until, h.detail
    from office.runs as r
    left join office.tasks as t on t.id = r.task_id
    cross join lateral (
      select
        bool_and(s.bursty) as bursty, bool_and(s.held_by_blockers) as held, bool_or(w.addresses = 'assignee') as for_assignee,
        r.requested_at + make_interval(secs => office_internal.setting('coalescing_window_seconds', r.workspace_id)::integer) as window_end
      from office.wakeups as w
      join office.wakeup_sources as s on s.source = w.source
      where w.run_id = r.id
    ) as w
    left join office_internal.resource_holds(run_ids) as k on k.run_id = r.id
    left join office_internal.provider_holds(run_ids, run_holds.at) as p on p.run_id = r.id
    cross join lateral (
      select v.hold, v.until, v.detail
      from (values
        (1, 'retry', r.scheduled_retry_at, null, r.scheduled_retry_at > run_holds.at),
        (2, 'window', w.window_end, null, w.bursty and r.retry_count = 0 and w.window_end > run_holds.at),
        (3, 'snooze', t.snoozed_until, null, w.held and t.snoozed_until > run_holds.at),
        (4, 'blocker', null, null, w.held and office_internal.is_blocked(r.task_id)),
        (5, 'checkout', null, null, exists (
          select
          from office.checkouts as c
          join office.runs as holder on holder.id = c.checkout_run_id
          where c.task_id = r.task_id and c.checkout_run_id <> r.id
            and not (w.for_assignee and office_internal.makes_checkout_lost(holder.id, r.workspace_id))
        )),
        (6, 'resource', null, k.detail, k.run_id is not null),
        (7, 'provider', p.until, p.detail, p.run_id is not null)
      ) as v (rank, hold, until, detail, holds)
      where v.holds
      order by v.rank
      limit 1
    ) as h
    where r.id = any(run_ids) and r.status is not distinct from 'queued' and r.answered_at is null;
end
$$;

comment on function office_internal.run_holds(uuid[], timestamptz) is 'What holds queued runs back, each by its first reason.';
