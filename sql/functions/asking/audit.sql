-- office.audit: proves the books: one row for each invariant that is violated, and none when all is well (Q26, K9).
-- Every wakeup is in one of six places: queued with its signal; in a queued run that will show it; shown by an attempt's prompt; unseen in
-- a live run; settled with its run, which never showed it; skipped or cancelled with a reason. That no limit was exceeded at any instant
-- is a sweep over claimed and ended times, both read under the gate: each claim is counted against the limit that held then, which
-- the activity of its changes tells (limits_of_the_time); what was lowered below what runs violates nothing, only a claim can. Of two that
-- fall on one instant the better order is taken. The clock must not have been set back.
-- Operators only (forbidden). Reads everything; run it when you can wait for it.
create or replace function office.audit()
returns table (invariant text, subject text, detail text)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set jit = off
as $$
begin
  perform office_internal.need_operator();
  return query
    select x.broken, w.id::text, concat_ws(', ', w.status, 'r' || r.number || ' is ' || r.status)
    from office.wakeups as w
    left join office.runs as r on r.id = w.run_id
    left join office.attempts as a on a.id = r.attempt_id
    cross join lateral (
      select case
        when w.status = 'queued' then case
          when w.run_id is not null then 'a queued wakeup has no run'
          when not exists (select from office_internal.signals as s where s.workspace_id = w.workspace_id and s.wakeup_id = w.id)
            then 'a queued wakeup has a signal'
        end
        when w.status in ('skipped', 'cancelled') then case when w.reason is null then 'a skipped or cancelled wakeup has a reason' end
        when r.id is null then 'a wakeup has the run that it made or joined'
        when w.status in ('finished', 'failed') and r.ended_at is null then 'a settled wakeup''s run has ended'
        when w.status = 'claimed' and r.ended_at is not null and r.status <> 'interrupted'
          then 'a claimed wakeup''s run is under way or interrupted'
        -- What has its place is shown by the next launch, or is found unseen when the run ends.
        when r.ended_at is null or r.status = 'interrupted'
          then case when (w.position between 1 and r.coalesced_count) is not true then 'a wakeup has its place in its run' end
        -- One that came with the run's own key is that run's, whenever it came (Q7). A run that ended in the queue is their outcome.
        when w.class = 'event' and w.position > a.shown_wakeups and r.claimed_at is not null
          and (a.outcome in ('succeeded', 'blocked', 'stopped', 'cancelled') or (a.outcome = 'failed' and r.status = 'failed'))
          and (w.idempotency_key = r.idempotency_key) is not true
          then 'an event wakeup of an ended run was shown'
      end as broken
    ) as x
    where x.broken is not null;
  return query
    select 'a run carries as many wakeups as it counts', 'r' || r.number, format('%s, not %s', count(w.id), r.coalesced_count)
    from office.runs as r
    left join office.wakeups as w on w.run_id = r.id
    where r.ended_at is null
    group by r.id
    having count(w.id) <> r.coalesced_count;
  return query
    select 'a live run has one live attempt', 'r' || r.number, format('%s live attempts', count(a.id))
    from office.runs as r
    left join office.attempts as a on a.run_id = r.id and a.ended_at is null
    where r.status in ('claimed', 'running', 'stopping')
    group by r.id
    having count(a.id) <> 1;
  return query
    select 'a run is live once at a time', 'r' || r.number, format('attempts %s and %s', q.before, q.number)
    from (
      select
        a.run_id, a.number, a.claimed_at,
        lag(a.number) over by_run as before, lag(coalesce(a.ended_at, 'infinity')) over by_run as free_at
      from office.attempts as a
      window by_run as (partition by a.run_id order by a.number)
    ) as q
    join office.runs as r on r.id = q.run_id
    where q.claimed_at < q.free_at;
  return query
    with moves as (
      select m.subject_id, m.workspace_id, m.run_id, e.at, e.step
      from (
        select x.subject_id, a.workspace_id, a.run_id, a.claimed_at, a.ended_at
        from office.attempts as a
        join office.runs as r on r.id = a.run_id
        cross join lateral (values (a.workspace_id), (r.agent_id)) as x (subject_id)
        where a.ended_at is null or a.ended_at > a.claimed_at
      ) as m
      cross join lateral (values (m.claimed_at, 1), (m.ended_at, -1)) as e (at, step)
      where e.at is not null
    ),
    counted as (
      -- Of one instant the ends come first.
      select m.*, sum(m.step) over (partition by m.subject_id order by m.at, m.step rows unbounded preceding) as going
      from moves as m
    ),
    over as (
      select c.subject_id, c.workspace_id, c.run_id, c.at, c.going, max(l.most) as most
      from counted as c
      join office_internal.limits_of_the_time() as l on l.subject_id = c.subject_id and c.at between l.since and l.until
      where c.step = 1
      group by c.subject_id, c.workspace_id, c.run_id, c.at, c.going
      having c.going > max(l.most)
    )
    select
      'no limit was ever exceeded', 'r' || r.number,
      format('%s of %s of %s at %s', o.going, o.most, coalesce(s.name, g.name), o.at)
    from over as o
    join office.runs as r on r.id = o.run_id
    left join office.workspaces as s on s.id = o.subject_id
    left join office.agents as g on g.id = o.subject_id
    -- One run more while a question or publishing approval waits (S2).
    where s.id is null or o.going > o.most + 1 or not exists (
      select
      from office.decisions as d
      where d.workspace_id = o.workspace_id and d.kind in ('question', 'publish')
        and d.asked_at <= o.at and coalesce(d.decided_at, 'infinity') >= o.at
    );
  return query
    select 'a live run''s worker has not ended', 'r' || r.number, format('%s, %s', r.status, k.end_reason)
    from office.runs as r
    join office.workers as k on k.id = r.worker_id
    where r.status in ('claimed', 'running', 'stopping') and k.ended_at is not null;
  return query
    select 'an ended or queued run has no live attempt', 'r' || r.number, a.id::text
    from office.attempts as a
    join office.runs as r on r.id = a.run_id
    where a.ended_at is null and (r.ended_at is not null or (r.status = 'queued' and r.answered_at is null));
  return query
    select 'a workspace keeps its slots', s.name, format('%s of %s', office_internal.count_active(s.id), g.slots)
    from office_internal.gates as g
    join office.workspaces as s on s.id = g.workspace_id
    where office_internal.count_active(s.id) > g.slots + g.excess + case when g.extra_run_used then 1 else 0 end;
  return query
    select 'an agent keeps its capacity', a.name, format('%s of %s', office_internal.count_active(l.workspace_id, a.id), l.capacity)
    from office_internal.lanes as l
    join office.agents as a on a.id = l.agent_id
    where office_internal.count_active(l.workspace_id, a.id) > l.capacity + l.excess;
  return query
    select 'a lane says what its runs say', a.name, format('active %s, head %s', l.active, l.head_run_id)
    from office_internal.lanes as l
    join office.agents as a on a.id = l.agent_id
    where l.active <> office_internal.count_active(l.workspace_id, l.agent_id)
      or l.head_run_id is distinct from (
        select r.id from office.runs as r
        where r.agent_id = l.agent_id and r.status = 'queued' and r.parked is null and r.answered_at is null
        order by r.requested_at, r.id
        limit 1
      );
  return query
    select 'a task''s lock is held by a live run', 't' || t.number, 'r' || r.number
    from office.checkouts as c
    join office.runs as r on r.id = c.checkout_run_id
    left join office.tasks as t on t.id = c.task_id
    where r.status not in ('claimed', 'running', 'waiting', 'stopping') and r.answered_at is null;
  return query
    select 'what is asked has its work under way', 'd' || d.number, coalesce(r.status, 'no run')
    from office.decisions as d
    left join office.runs as r on r.id = d.run_id
    left join office.attempts as a on a.id = d.attempt_id
    where d.status = 'pending'
      and case
        when d.kind = 'approval' then false
        when d.kind = 'interrupted' then r.status is distinct from 'interrupted'
        else coalesce(r.status, '') not in ('waiting', 'stopping') or r.attempt_id is distinct from d.attempt_id
          or a.id is null or a.ended_at is not null
      end;
  return query
    select 'a waiting run waits for a decision', 'r' || r.number, 'nothing is open'
    from office.runs as r
    where r.status = 'waiting'
      and not exists (
        select from office.decisions as d
        where d.attempt_id = r.attempt_id and d.status = 'pending' and d.kind in ('question', 'permission', 'publish')
      );
  return query
    select 'an answered run goes on with its attempt', 'r' || r.number, coalesce(a.outcome, 'its program lives')
    from office.runs as r
    left join office.attempts as a on a.id = r.attempt_id
    where r.status = 'queued' and r.answered_at is not null and (a.ended_at is not null or a.left_at is null);
  return query
    select 'runs of one session run one at a time', 's' || s.number, string_agg('r' || r.number, ', ' order by r.number)
    from office.runs as r
    join office.agent_sessions as s on s.id = r.session_id
    where r.status in ('claimed', 'running', 'waiting', 'stopping') or (r.status = 'queued' and r.answered_at is not null)
    group by s.number
    having count(*) > 1;
  return query
    select 'a run''s session is of its agent and task', 'r' || r.number, coalesce('s' || s.number, 'none')
    from office.runs as r
    left join office.agent_sessions as s on s.id = r.session_id
    where r.session_id is not null and (s.task_id, s.agent_id) is distinct from (r.task_id, r.agent_id);
  return query
    select 'an open session is of a task and an agent that are there', 's' || s.number, coalesce(t.state, 'no task')
    from office.agent_sessions as s
    left join office.tasks as t on t.id = s.task_id
    left join office.agents as a on a.id = s.agent_id
    where s.ended_at is null
      and (t.id is null or a.id is null or t.deleted_at is not null or a.deleted_at is not null or t.state = 'cancelled')
      and not exists (select from office_internal.signals as q where q.workspace_id = s.workspace_id);
  return query
    select 'a parked run comes back by time or event', 'r' || r.number, r.parked
    from office.runs as r
    where r.status = 'queued' and r.parked is not null
      and case r.parked
        when 'blocker' then not office_internal.is_blocked(r.task_id)
        when 'checkout' then not exists (select from office.checkouts as c where c.task_id = r.task_id)
        when 'resource' then false  -- a row of its own, below
        when 'budget' then r.due_at is null
          and not exists (select from office.budget_reservations as v where v.budget_id = r.parked_budget_id)
        when 'session' then not exists (select from office_internal.run_holds(array[r.id], office_internal.wall_clock()))
        when 'provider' then r.due_at is null
          and not exists (select from office_internal.provider_refusals(array[r.executor_id], office_internal.wall_clock()))
          and exists (
            select
            from office_internal.lanes as l
            join office_internal.gates as g on g.workspace_id = l.workspace_id
            where l.agent_id = r.agent_id and l.open and l.cooling_until is null and l.active < l.capacity
              and not g.paused and (select f.free > 0 from office_internal.free_slots(array[g.workspace_id]) as f)
          )
          and not exists (select from office_internal.gates as g where g.paused_with_all)
        else r.due_at is null
      end
      and not exists (select from office_internal.signals as s where s.workspace_id = r.workspace_id);
  return query
    select 'a run that is held back by itself is parked', 'r' || r.number, h.hold
    from office.runs as r
    join office_internal.run_holds(
      array(select q.id from office.runs as q where q.status = 'queued' and q.parked is null), office_internal.wall_clock()
    ) as h on h.run_id = r.id
    -- A lock or a key is asked for once more by the claim; how long wakes gather may be set longer when it is over.
    where h.hold in ('retry', 'snooze', 'blocker')
      and not exists (select from office_internal.signals as s where s.workspace_id = r.workspace_id);
  return query
    select 'a lane follows its agent', a.name, format('%s, %s', a.status, case when l.open then 'open' else 'closed' end)
    from office_internal.lanes as l
    join office.agents as a on a.id = l.agent_id
    where (l.open, l.capacity, l.cooldown_sec) is distinct from (
        a.status = 'active' and a.deleted_at is null
          and not exists (select from office_internal.changes as c where c.agent_id = a.id and c.kind = 'pause_agent'),
        a.max_concurrent_sessions, a.cooldown_sec
      )
      and not exists (select from office_internal.signals as s where s.workspace_id = l.workspace_id);
  return query
    select 'nothing is queued for a stopped agent', 'r' || r.number, a.name
    from office.runs as r
    join office.agents as a on a.id = r.agent_id
    where r.status = 'queued' and (a.status = 'stopped' or a.deleted_at is not null)
      and not exists (select from office_internal.signals as s where s.workspace_id = r.workspace_id);
  return query
    select
      'a provider keeps its limit', l.provider,
      format('%s of %s', office_internal.count_requests(l.provider), l.max_requests)
    from office.provider_limits as l
    where office_internal.count_requests(l.provider) > l.max_requests + l.excess;
  return query
    select 'a hold''s probe is of its provider and under way', concat_ws(', ', h.provider, h.model), 'r' || r.number
    from office.provider_holds as h
    left join office.runs as r on r.id = h.probe_run_id
    left join office.executors as x on x.id = r.executor_id
    where h.ended_at is null and h.probe_run_id is not null
      and (not office_internal.is_probing(h.probe_run_id) or x.provider is distinct from h.provider);
  return query
    select 'a budget''s total is what the ledger has', office_internal.budget_name(b), format('%s, not %s', p.spent_cents, u.spent)
    from office.budget_periods as p
    join office.budgets as b on b.id = p.budget_id and b.removed_at is null
    cross join lateral (
      select coalesce(sum(e.cost_cents), 0) as spent, count(*) - count(e.cost_cents) as unknown
      from office.usage_events as e
      where e.workspace_id = b.workspace_id and office_internal.period_start(b.period, e.at) = p.period_start
        and office_internal.counts_in(b, e.agent_id, e.project_id, e.account)
    ) as u
    where (p.spent_cents, p.unknown_events) is distinct from (u.spent, u.unknown);
  return query
    select 'only live attempts reserve of a budget', coalesce('r' || r.number, v.attempt_id::text), format('%s cents', v.amount_cents)
    from office.budget_reservations as v
    left join office.attempts as a on a.id = v.attempt_id
    left join office.runs as r on r.id = a.run_id
    where a.id is null or a.ended_at is not null;
  return query
    select 'a spent budget is known to be', office_internal.budget_name(b), format('%s of %s', p.spent_cents, b.limit_cents)
    from office.budget_periods as p
    join office.budgets as b on b.id = p.budget_id and b.removed_at is null
    where p.period_start = office_internal.period_start(b.period, office_internal.wall_clock())
      and (p.spent_cents >= b.limit_cents) <> p.over
      and not exists (select from office_internal.signals as s where s.workspace_id = b.workspace_id);
  return query
    select 'whom a spent budget pauses is not claimed for', a.name, office_internal.budget_name(b)
    from office_internal.budget_pauses as p
    join office.budgets as b on b.id = p.budget_id
    join office.agents as a on a.id = p.agent_id
    join office_internal.lanes as l on l.agent_id = a.id
    where l.open and a.status = 'paused';
  return query
    select 'an agent whose runs gave up too often is paused', a.name, format('%s runs', l.gave_up)
    from office_internal.lanes as l
    join office.agents as a on a.id = l.agent_id
    cross join lateral (
      select coalesce(a.auto_pause_after, office_internal.setting('auto_pause_after', a.workspace_id)::integer) as most
    ) as s
    where s.most > 0 and l.gave_up >= s.most and l.open;
  return query
    select 'a ready lane or a due time is known to the claim', s.name, 'no signal and no timer'
    from office_internal.gates as g
    join office.workspaces as s on s.id = g.workspace_id
    where not (g.paused or exists (select from office_internal.gates as o where o.paused_with_all))
      and not exists (select from office_internal.signals as q where q.workspace_id = g.workspace_id)
      and (
        exists (
          select from office_internal.lanes as l
          where l.workspace_id = g.workspace_id and l.head_at is not null and l.cooling_until is null and l.open and l.active < l.capacity
        )
        and (
          select count(*) < g.slots from office.runs as r
          where r.workspace_id = g.workspace_id and r.status in ('claimed', 'running', 'waiting', 'stopping')
        )
        or g.due_at is null and exists (
          select from office_internal.lanes as l
          where l.workspace_id = g.workspace_id and l.cooling_until is not null and l.head_at is not null
        )
        or exists (
          select from office.runs as r
          where r.workspace_id = g.workspace_id and r.status = 'queued' and r.due_at < coalesce(g.due_at, 'infinity')
        )
      );
  return query
    select 'no two runs hold one key', format('r%s, r%s', r.number, o.number), format('%s, %s', h.key, k.key)
    from office.resources as h
    cross join lateral office_internal.key_reach(h.key) as x
    join office.resources as k
      on k.attempt_id <> h.attempt_id and (k.key = any(x.above) or (k.key > x.inside_from and k.key < x.inside_to))
    join office.runs as r on r.id = h.run_id
    join office.runs as o on o.id = k.run_id
    -- What was added asked nobody; whoever came after it did.
    where not h.added and h.taken_at >= k.taken_at and (not k.added or h.taken_at > k.taken_at);
  return query
    select 'a key is held by a live attempt, or until its cleanup is confirmed', 'r' || r.number, h.key
    from office.resources as h
    join office.attempts as a on a.id = h.attempt_id
    join office.runs as r on r.id = h.run_id
    where (a.ended_at is null) <> (h.ended_at is null) or (a.ended_at is not null and a.cleaned_at is not null)
      or (h.ended_at is null and (r.attempt_id <> a.id or r.ended_at is not null));
  return query
    select 'a run parked for a resource has a holder or a signal', 'r' || r.number, r.parked_detail
    from office.runs as r
    where r.parked = 'resource'
      and not exists (select from office_internal.resource_holders(array[r.id]))
      and not exists (
        select from office_internal.signals as s
        where s.workspace_id = r.workspace_id and s.kind = 'resource' and s.event_id = r.id
      )
      and not exists (
        select
        from office_internal.signals as s
        cross join lateral office_internal.key_reach(s.key) as x
        join office_internal.resource_waits as w
          on w.run_id = r.id and (w.key = any(x.above) or (w.key > x.inside_from and w.key < x.inside_to))
        where s.kind in ('freed', 'resource') and s.key is not null and (s.kind = 'freed' or s.workspace_id = r.workspace_id)
      );
  return query
    select 'who waits for a resource is found by its keys', 'r' || r.number, coalesce(k.key, w.key)
    from (
      select k.run_id, k.key
      from office_internal.keys_of(array(select r.id from office.runs as r where r.parked = 'resource')) as k
    ) as k
    full join office_internal.resource_waits as w on w.run_id = k.run_id and w.key = k.key
    join office.runs as r on r.id = coalesce(k.run_id, w.run_id)
    where (k.run_id is null or w.run_id is null)
      and not exists (
        select from office_internal.signals as s
        where s.workspace_id = r.workspace_id and (s.kind = 'resource' and s.event_id = r.id or s.task_id = r.task_id)
      );
  return query
    select 'an enabled trigger has a next fire', t.id::text, t.kind
    from office.routine_triggers as t
    where t.enabled and t.next_run_at is null and t.kind in ('schedule', 'once');
  return query
    select x.broken, f.id::text, concat_ws(', ', f.status, w.status, t.state)
    from office.routine_runs as f
    left join office.wakeups as w on w.id = f.wakeup_id
    left join office.tasks as t on t.id = f.linked_task_id
    cross join lateral (
      select case
        when f.status = 'received' and (w.status in ('queued', 'claimed')) is not true then 'a fire that is under way has its wakeup'
        when f.linked_task_id is null and w.status in ('queued', 'claimed') and f.status <> 'received'
          then 'a fire ends with its wakeup'
        when f.coalesced_into_run_id is null and t.id is not null
          and not exists (select from office_internal.signals as s where s.workspace_id = f.workspace_id and s.task_id = t.id)
          and (f.status in ('done', 'cancelled') and not office_internal.is_closed(t)
            or f.status in ('task_created', 'failed') and office_internal.is_closed(t))
          then 'a fire ends with its task'
        when f.status <> 'task_created' and (f.status = 'received') <> (f.ended_at is null) then 'a fire that has ended says when'
      end as broken
    ) as x
    where x.broken is not null;
  return query
    select 'a summary is left by a run of its scope that succeeded', s.scope, 'r' || r.number
    from office.continuation_summaries as s
    join office.runs as r on r.id = s.updated_by_run_id
    where r.outcome is distinct from 'succeeded' or r.task_id is not null or r.agent_id <> s.agent_id
      or s.scope <> coalesce('routine:' || r.routine_id, 'agent:' || r.agent_id);
  return query
    select 'what an office row names is there', d.subject, d.missing
    from (
      select 'r' || r.number, 'its agent', not exists (select from office.agents as a where a.id = r.agent_id)
      from office.runs as r
      union all
      select 'r' || r.number, 'its task', not exists (select from office.tasks as t where t.id = r.task_id)
      from office.runs as r
      where r.task_id is not null
      union all
      select 'r' || r.number, 'its executor', not exists (select from office.executors as x where x.id = r.executor_id)
      from office.runs as r
      where r.executor_id is not null
      union all
      select w.id::text, 'its agent', not exists (select from office.agents as a where a.id = w.agent_id)
      from office.wakeups as w
      union all
      select w.id::text, 'its task', not exists (select from office.tasks as t where t.id = w.task_id)
      from office.wakeups as w
      where w.task_id is not null
      union all
      select l.agent_id::text, 'the agent of a lane', not exists (select from office.agents as a where a.id = l.agent_id)
      from office_internal.lanes as l
      union all
      select s.name, 'its gate', not exists (select from office_internal.gates as g where g.workspace_id = s.id)
      from office.workspaces as s
    ) as d (subject, missing, gone)
    where d.gone;
end
$$;

comment on function office.audit() is 'One row for each violated invariant; none when all is well.';
