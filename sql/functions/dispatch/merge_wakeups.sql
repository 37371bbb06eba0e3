-- office_internal.merge_wakeups: wakeups of a workspace, in order, become runs or join those in flight (Q4, Q7).
-- Answers the queued runs that were made or joined. The caller holds the gate; the wakeups are queued and committed, or
-- its own.
--
-- All at once, by agent and scope. What joins what is the same as one after the other: the run that has its key, whatever
-- became of that; the scope's open queued run (a taskless request of no routine: the agent's taskless queued run, of no
-- scope first, then the one made first); else its live run, the youngest of class event first, unless that is periodic and
-- the request an event; else a new run. So within a group a prefix may join a live run, and the rest one queued run, made by
-- the first of the rest.
create or replace function office_internal.merge_wakeups(workspace_id uuid, wakeup_ids uuid[])
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
      w.id, w.agent_id, w.class, w.solo, w.source, w.task_id, w.routine_id, w.idempotency_key, w.depth, w.requested_at,
      case when w.solo then w.id else coalesce(w.task_id, w.routine_id, v_none) end as scope_id,
      (
        select r.id from office.runs as r
        where r.workspace_id = merge_wakeups.workspace_id and r.idempotency_key = w.idempotency_key
      ) as key_run,
      o.ordinality as nth
    from unnest(wakeup_ids) with ordinality as o (id, ordinality)
    join office.wakeups as w on w.id = o.id
    where w.status is not distinct from 'queued'
  ),
  groups as materialized (
    select
      g.agent_id, g.scope_id, g.solo, g.first_nth, g.first_event,
      case when not g.solo then (
        select r.id
        from office.runs as r
        where r.agent_id = g.agent_id and r.status = 'queued' and not r.solo and r.answered_at is null
          and (r.scope_id = g.scope_id or (g.scope_id = v_none and r.task_id is null))
        order by r.scope_id = g.scope_id desc, r.number
        limit 1
      ) end as open_run,
      l.id as live_run,
      l.class as live_class
    from (
      select
        w.agent_id, w.scope_id, w.solo, min(w.nth) as first_nth, min(w.nth) filter (where w.class = 'event') as first_event
      from wanted as w
      where w.key_run is null
      group by w.agent_id, w.scope_id, w.solo
    ) as g
    left join lateral (
      select r.id, r.class
      from office.runs as r
      where not g.solo and r.agent_id = g.agent_id and r.scope_id = g.scope_id and not r.solo
        and (r.status in ('claimed', 'running', 'waiting') or (r.status = 'queued' and r.answered_at is not null))
      order by (r.class = 'event') desc, r.number desc
      limit 1
    ) as l on true
  ),
  -- From which place on the group needs a queued run of its own: null when it never does.
  needing as materialized (
    select
      g.*,
      case
        when g.open_run is not null then null
        when g.live_run is null then g.first_nth
        when g.live_class = 'periodic' then g.first_event
      end as needs_from
    from groups as g
  ),
  -- A taskless request of no routine joins a routine's run that this same call makes before it.
  making as materialized (
    select
      n.*,
      case when n.scope_id = v_none then (
        select min(m.needs_from)
        from needing as m
        where m.agent_id = n.agent_id and m.scope_id <> v_none and not m.solo
          and exists (select from wanted as w where w.nth = m.needs_from and w.task_id is null)
      ) end as routine_from
    from needing as n
  ),
  placed as materialized (
    select
      w.*,
      case
        when m.open_run is not null then m.open_run
        when m.needs_from is not null and w.nth >= m.needs_from
          and (m.routine_from is null or m.needs_from < m.routine_from) then null
        when m.routine_from is not null and w.nth > m.routine_from then null
        else m.live_run
      end as joins_run,
      case
        when m.open_run is not null then null
        when m.needs_from is not null and w.nth >= m.needs_from
          and (m.routine_from is null or m.needs_from < m.routine_from) then m.needs_from
        when m.routine_from is not null and w.nth > m.routine_from then m.routine_from
      end as maker_nth
    from wanted as w
    join making as m on m.agent_id = w.agent_id and m.scope_id = w.scope_id and m.solo = w.solo
    where w.key_run is null
    union all
    select w.*, w.key_run, null
    from wanted as w
    where w.key_run is not null
  ),
  makers as materialized (
    select p.*, office.uuid7() as new_run
    from placed as p
    where p.maker_nth = p.nth
  ),
  made as (
    insert into office.runs (
      id, workspace_id, agent_id, task_id, routine_id, executor_id, reason, class, solo, depth, coalesced_count,
      idempotency_key, requested_at
    )
    select
      k.new_run, merge_wakeups.workspace_id, k.agent_id, k.task_id, case when k.task_id is null then k.routine_id end,
      office_internal.usual_executor(k.agent_id, k.task_id),
      coalesce(c.first_event_source, k.source), case when c.first_event_source is null then 'periodic' else 'event' end,
      k.solo, c.depth, c.wakeups, k.idempotency_key, k.requested_at
    from makers as k
    cross join lateral (
      select
        count(*) as wakeups, max(p.depth) as depth,
        (array_agg(p.source order by p.nth) filter (where p.class = 'event'))[1] as first_event_source
      from placed as p
      where p.maker_nth = k.nth
    ) as c
    order by k.nth
    returning id
  ),
  joined as (
    update office.runs as r
    set coalesced_count = r.coalesced_count + j.wakeups,
      depth = greatest(r.depth, j.depth),
      reason = case
        when r.status = 'queued' and r.class = 'periodic' then coalesce(j.first_event_source, r.reason)
        else r.reason
      end,
      class = case when r.status = 'queued' and j.first_event_source is not null then 'event' else r.class end,
      -- People do not wait behind a back-off (Q21).
      scheduled_retry_at = case when r.status <> 'queued' or not j.by_person then r.scheduled_retry_at end
    from (
      select
        p.joins_run, count(*) as wakeups, max(p.depth) as depth,
        (array_agg(p.source order by p.nth) filter (where p.class = 'event'))[1] as first_event_source,
        bool_or((select s.person_caused from office.wakeup_sources as s where s.source = p.source)) as by_person
      from placed as p
      where p.joins_run is not null
      group by p.joins_run
    ) as j
    where r.id = j.joins_run
    returning r.id, r.status, r.coalesced_count - j.wakeups as before
  ),
  settled as (
    update office.wakeups as w
    set status = case when p.maker_nth = p.nth then 'claimed' else 'coalesced' end,
      run_id = p.run_id,
      position = p.place
    from (
      select
        p.id, p.nth, p.maker_nth, coalesce(p.joins_run, k.new_run) as run_id,
        coalesce(j.before, 0) + row_number() over (partition by coalesce(p.joins_run, k.new_run) order by p.nth) as place
      from placed as p
      left join makers as k on k.nth = p.maker_nth
      left join joined as j on j.id = p.joins_run
    ) as p
    where w.id = p.id
  )
  select array(select made.id from made union all select joined.id from joined where joined.status = 'queued') into v_joined;
  return v_joined;
end
$$;

comment on function office_internal.merge_wakeups(uuid, uuid[]) is 'Turns wakeups into runs, or merges them into runs in flight.';
