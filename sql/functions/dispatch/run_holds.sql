-- office_internal.run_holds: what holds a queued run back by itself, until when, and in which words where it needs them; one row a run
-- that is held (Q6, Q12, Q13.5, Q18). What holds its agent or workspace back is the lane's and the gate's. The dispatch
-- parks by it, why explains by it.
--   retry: its back-off has not passed             window: its bursty wakes still gather
--   snooze, blocker: all its wakes wait for those  checkout: its task is locked by a run that it waits for
--   session: it is not its turn in its agent session (N2)
--   resource: a key it needs is held (S4)          provider: its account is on hold or full (Q25, S6)
--   budget: its budget's room is reserved (B2); only the claim parks for it, and calls it back, what else looks leaves it where it is
create or replace function office_internal.run_holds(run_ids uuid[], at timestamptz)
returns table (run_id uuid, hold text, until timestamptz, detail text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select
      h.id, h.hold,
      case h.hold
        when 'retry' then h.scheduled_retry_at
        when 'window' then h.window_end
        when 'snooze' then h.snoozed_until
        when 'provider' then p.until
        when 'budget' then h.due_at
      end,
      case h.hold when 'resource' then k.detail when 'provider' then p.detail when 'budget' then h.parked_detail end
    from (
      select
        r.id, r.scheduled_retry_at, t.snoozed_until, x.window_end, r.due_at, r.parked_detail,
        r.parked is not distinct from 'budget' and coalesce(r.due_at, 'infinity') > run_holds.at as for_budget,
        case
          when r.scheduled_retry_at > run_holds.at then 'retry'
          when x.window_end > run_holds.at then 'window'
          when w.held and t.snoozed_until > run_holds.at then 'snooze'
          when w.held is true and office_internal.is_blocked(r.task_id) then 'blocker'
          when r.task_id is not null and exists (
            select
            from office.checkouts as c
            where c.task_id = r.task_id and c.checkout_run_id <> r.id
              and not (w.for_assignee and office_internal.makes_checkout_lost(c.checkout_run_id, r.workspace_id))
          ) then 'checkout'
          when r.task_id is not null
            and office_internal.session_before(r.task_id, r.agent_id, r.id, r.queue_position) is not null then 'session'
        end as own_hold
      from office.runs as r
      left join office.tasks as t on t.id = r.task_id
      -- All sources that gather, or wait for a task, name one: a taskless run's wakeups need not be read.
      cross join lateral (
        select
          bool_and(s.bursty) as bursty, bool_and(s.held_by_blockers) as held, bool_or(w.addresses = 'assignee') as for_assignee
        from office.wakeups as w
        join office.wakeup_sources as s on s.source = w.source
        where w.run_id = r.id and r.task_id is not null
      ) as w
      cross join lateral (
        select case when w.bursty and r.retry_count = 0 then r.requested_at + make_interval(
          secs => office_internal.setting('coalescing_window_seconds', r.workspace_id)::integer
        ) end as window_end
      ) as x
      where r.id = any(run_ids) and r.status is not distinct from 'queued' and r.answered_at is null
    ) as o
    left join office_internal.resource_holds(run_ids) as k on k.run_id = o.id
    left join office_internal.provider_holds(run_ids, run_holds.at) as p on p.run_id = o.id
    cross join lateral (
      select
        o.*, coalesce(
          o.own_hold,
          case when k.run_id is not null then 'resource' when p.run_id is not null then 'provider' when o.for_budget then 'budget' end
        ) as hold
    ) as h
    where h.hold is not null;
end
$$;

comment on function office_internal.run_holds(uuid[], timestamptz) is 'What holds queued runs back, each by its first reason.';
