-- office_internal.merge_wakeups: wakeups, in order, become runs or join those in flight (Q4, Q7).
-- Answers the queued runs that were made or joined. The caller holds the gates; the wakeups are queued and committed, or
-- its own.
--
-- All at once, by agent and scope. What joins what is the same as one after the other: the run that has its key, whatever
-- became of that; the scope's open queued run (a taskless request of no routine: the agent's taskless queued run, of no
-- scope first, then the one made first); else its live run, the youngest of class event first, unless that is periodic and
-- the request an event; else a new run. So within a group a prefix may join a live run, and the rest one queued run, made by
-- the first of the rest.
create or replace function office_internal.merge_wakeups(wakeup_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_none constant uuid := '00000000-0000-0000-0000-000000000000'::uuid;
  v_joined uuid[];
begin
  perform office_internal.follow_agents(array(
    select distinct w.agent_id
    from office.wakeups as w
    where w.id = any(wakeup_ids) and not exists (select from office_internal.lanes as l where l.agent_id = w.agent_id)
  ));
  with wanted as materialized (
    select
      w.id, w.workspace_id, w.agent_id, w.class, w.solo, w.source, w.task_id, w.routine_id, w.idempotency_key, w.depth, w.requested_at,
      case when w.solo then w.id else coalesce(w.task_id, w.routine_id, v_none) end as scope_id,
      case when w.idempotency_key is not null then (
        select r.id from office.runs as r where r.workspace_id = w.workspace_id and r.idempotency_key = w.idempotency_key
      ) end as key_run,
      -- A person's word, not given from inside a run; only a routine's fire says how it came about.
      w.attempt_id is null and (
        w.payload ->> 'fire' is not distinct from 'manual'
        or exists (select from office.wakeup_sources as s where s.source = w.source and s.person_caused)
      ) as by_person,
      o.ordinality as nth
    from unnest(wakeup_ids) with ordinality as o (id, ordinality)
    join office.wakeups as w on w.id = o.id
    where w.status is not distinct from 'queued'
  ),
  grouped as materialized (
    select
      w.*,
      min(w.nth) over g as first_nth,
      min(w.nth) filter (where w.class = 'event') over g as first_event,
      case when not w.solo then (
        select r.id
        from office.runs as r
        where r.agent_id = w.agent_id and r.status = 'queued' and not r.solo and r.answered_at is null
          and (r.scope_id = w.scope_id or (w.scope_id = v_none and r.task_id is null))
        order by r.scope_id = w.scope_id desc, r.number
        limit 1
      ) end as open_run,
      l.id as live_run,
      l.class as live_class
    from wanted as w
    left join lateral (
      select r.id, r.class
      from office.runs as r
      where not w.solo and r.workspace_id = w.workspace_id and r.agent_id = w.agent_id and r.scope_id = w.scope_id and not r.solo
        and (r.status in ('claimed', 'running', 'waiting', 'stopping') or (r.status = 'queued' and r.answered_at is not null))
        and r.status <> 'stopping'
      order by (r.class = 'event') desc, r.number desc
      limit 1
    ) as l on true
    where w.key_run is null
    window g as (partition by w.agent_id, w.scope_id, w.solo)
  ),
  -- From which place on its group needs a queued run of its own: null when it never does.
  needing as materialized (
    select
      g.*,
      case
        when g.open_run is not null then null
        when g.live_run is null then g.first_nth
        when g.live_class = 'periodic' then g.first_event
      end as needs_from
    from grouped as g
  ),
  -- A taskless request of no routine joins a routine's run that this same call makes before it.
  making as materialized (
    select
      n.*,
      case when n.scope_id = v_none then
        min(n.needs_from) filter (where n.scope_id <> v_none and n.task_id is null and not n.solo) over (partition by n.agent_id)
      end as routine_from
    from needing as n
  ),
  placed as materialized (
    select
      p.id, p.workspace_id, p.agent_id, p.class, p.solo, p.source, p.task_id, p.routine_id, p.idempotency_key, p.depth,
      p.requested_at, p.by_person, p.nth, p.maker_nth, coalesce(p.key_run, case when p.maker_nth is null then p.old_run end) as joins_run,
      case when p.maker_nth = p.nth then office.uuid7() end as new_run
    from (
      select
        m.*,
        coalesce(m.open_run, m.live_run) as old_run,
        case
          when m.open_run is not null then null
          when m.needs_from is not null and m.nth >= m.needs_from and (m.routine_from is null or m.needs_from < m.routine_from)
            then m.needs_from
          when m.routine_from is not null and m.nth > m.routine_from then m.routine_from
        end as maker_nth
      from making as m
      union all
      select w.*, null, null, null, null, null, null, null, null, null
      from wanted as w
      where w.key_run is not null
    ) as p
  ),
  -- Each wakeup with its run and its place there; the first of those that share a new run makes it.
  seated as materialized (
    select
      p.*,
      coalesce(p.joins_run, first_value(p.new_run) over r) as run_id,
      row_number() over r as place,
      count(*) over s as wakeups,
      max(p.depth) over s as deepest,
      first_value(case when p.class = 'event' then p.source end) over (
        partition by p.joins_run, p.maker_nth order by p.class = 'event' desc, p.nth
      ) as first_event_source,
      (select j.coalesced_count from office.runs as j where j.id = p.joins_run) as before
    from placed as p
    window r as (partition by p.joins_run, p.maker_nth order by p.nth), s as (partition by p.joins_run, p.maker_nth)
  ),
  made as (
    insert into office.runs (
      id, workspace_id, agent_id, task_id, routine_id, executor_id, reason, class, solo, depth, coalesced_count,
      idempotency_key, requested_at
    )
    select
      k.run_id, k.workspace_id, k.agent_id, k.task_id, case when k.task_id is null then k.routine_id end,
      (select x.executor_id from office_internal.usual_executor(k.agent_id, k.task_id) as x),
      coalesce(k.first_event_source, k.source), case when k.first_event_source is null then 'periodic' else 'event' end,
      k.solo, k.deepest, k.wakeups, k.idempotency_key, k.requested_at
    from seated as k
    where k.maker_nth = k.nth
    order by k.nth
    returning id
  ),
  joined as (
    update office.runs as r
    set coalesced_count = r.coalesced_count + j.wakeups,
      depth = greatest(r.depth, j.deepest),
      reason = case
        when r.status = 'queued' and r.class = 'periodic' then coalesce(j.first_event_source, r.reason)
        else r.reason
      end,
      class = case when r.status = 'queued' and j.first_event_source is not null then 'event' else r.class end,
      -- People do not wait behind a back-off (Q21).
      scheduled_retry_at = case when r.status <> 'queued' or not j.by_person then r.scheduled_retry_at end
    from (
      select
        p.joins_run, p.wakeups, p.deepest, p.first_event_source,
        bool_or(p.by_person) as by_person
      from seated as p
      where p.joins_run is not null
      group by p.joins_run, p.wakeups, p.deepest, p.first_event_source
    ) as j
    where r.id = j.joins_run
    returning r.id, r.status
  ),
  settled as (
    update office.wakeups as w
    set status = case when p.maker_nth = p.nth then 'claimed' else 'coalesced' end,
      run_id = p.run_id,
      position = coalesce(p.before, 0) + p.place
    from seated as p
    where w.id = p.id
  )
  select array(select made.id from made union all select joined.id from joined where joined.status = 'queued') into v_joined;
  return v_joined;
end
$$;

comment on function office_internal.merge_wakeups(uuid[]) is 'Turns wakeups into runs, or merges them into runs in flight.';
