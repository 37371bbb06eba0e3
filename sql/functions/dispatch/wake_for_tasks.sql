-- office_internal.wake_for_tasks: the wakes that changes of tasks entail, stored as wakeups; answers their ids (T5, T6).
-- Decided on committed state: a signal of an assignment that no longer holds wakes nobody. The caller holds the gates and
-- dispatches them in the same breath, so they need no signal.
-- A blocker that was taken away counts as one that has ended.
-- The agent that moved a task from inside its run is not woken about that task; about others it is.
create or replace function office_internal.wake_for_tasks(signals office_internal.signals[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_closed uuid[] := array(select distinct s.task_id from unnest(signals) as s where s.kind = 'task_closed');
  -- Tasks that wait for one less, but for those whose own agent has seen to that from inside its run on them.
  v_freed uuid[] := array(
    select s.task_id
    from unnest(signals) as s
    join office.tasks as t on t.id = s.task_id
    where s.kind = 'task_holds' and s.event_id is not null and not exists (
      select
      from office.attempts as a
      join office.runs as r on r.id = a.run_id
      where a.id = s.attempt_id and r.task_id = t.id and r.agent_id = t.assignee_agent_id
    )
    -- A run that waited for it is let go.
    and not exists (
      select from office.runs as r
      where r.task_id = t.id and r.agent_id = t.assignee_agent_id and r.status is not distinct from 'queued'
    )
  );
  v_made uuid[];
  v_more uuid[];
begin
  -- Assigned, or set going: task_assigned.
  with told as (
    select
      s.id as signal_id, s.kind, s.event_id, s.account_id, s.attempt_id, s.depth, t.id as task_id, t.workspace_id,
      t.assignee_agent_id as agent_id, format('task_assigned:%s:%s', t.id, t.assignee_agent_id) collate "C" as base
    from unnest(signals) as s
    join office.tasks as t on t.id = s.task_id
    where s.kind in ('task_assigned', 'task_started')
      and t.assignee_agent_id is not null
      and (s.kind = 'task_started' or t.assignee_agent_id = s.agent_id)
      and case s.kind
        when 'task_started' then t.state in ('todo', 'in_progress')
        else t.state not in ('proposed', 'done', 'cancelled')
      end
      and office_internal.is_woken_for(t.id)
      and not office_internal.is_blocked(t.id)
      and (
        s.kind = 'task_assigned' or s.attempt_id is null
        or t.assignee_agent_id is distinct from office_internal.agent_of_attempt(s.attempt_id)
      )
  ),
  numbered as (
    select
      told.*,
      row_number() over (partition by told.kind, told.base order by told.signal_id) + (
        -- The last that was given away, not how many there are: old ones are purged.
        select coalesce(max(coalesce(nullif(substr(w.idempotency_key, length(told.base) + 2), '')::bigint, 1)), 0)
        from office.wakeups as w
        where w.workspace_id = told.workspace_id
          and w.idempotency_key >= told.base and w.idempotency_key < told.base || ';'
          and substr(w.idempotency_key, length(told.base) + 1) ~ '^(:[0-9]+)?$'
      ) as nth
    from told
  ),
  made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, account_id, attempt_id, requested_at
    )
    select
      n.workspace_id, n.agent_id, 'task_assigned', 'event', 'assignee', n.task_id, jsonb_build_object('task_id', n.task_id),
      n.base || case
        when n.kind = 'task_started' then ':move:' || n.event_id
        when n.nth > 1 then ':' || n.nth
        else ''
      end,
      n.depth, n.account_id, n.attempt_id, office.now()
    from numbered as n
    order by n.signal_id
    on conflict do nothing
    returning id
  )
  select array_agg(made.id) into v_made from made;
  -- Open again, or in a stage that queues a run: whoever moved it himself from inside his run knows.
  with told as (
    select s.*, t.assignee_agent_id, t.stage_id
    from unnest(signals) as s
    join office.tasks as t on t.id = s.task_id
    where s.kind in ('task_reopened', 'task_staged') and t.assignee_agent_id is not null
      and (s.attempt_id is null or t.assignee_agent_id is distinct from office_internal.agent_of_attempt(s.attempt_id))
      and case s.kind
        when 'task_reopened' then t.state = 'todo' and office_internal.is_woken_for(t.id) and not office_internal.is_blocked(t.id)
        else not office_internal.is_closed(t) and exists (select from office.stages as g where g.id = t.stage_id and g.queue_run)
      end
  ),
  made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, account_id, attempt_id, requested_at
    )
    select
      d.workspace_id, d.assignee_agent_id, case d.kind when 'task_reopened' then 'reopened' else 'queue_run' end, 'event', 'assignee',
      d.task_id, jsonb_strip_nulls(jsonb_build_object(
        'task_id', d.task_id, 'stage_id', case when d.kind = 'task_staged' then d.stage_id end
      )),
      case d.kind
        when 'task_reopened' then format('reopened:%s:%s', d.task_id, d.event_id)
        else format('queue_run:%s:%s:%s', d.task_id, d.stage_id, d.event_id)
      end,
      d.depth, d.account_id, d.attempt_id, office.now()
    from told as d
    order by d.id
    on conflict do nothing
    returning id
  )
  select array_agg(made.id) into v_more from made;
  v_made := v_made || v_more;
  if cardinality(v_closed) = 0 and cardinality(v_freed) = 0 then
    return coalesce(v_made, '{}');
  end if;
  -- The last blocker ended, or was taken away: task_blockers_resolved, with the end of the one that ended last as its event, or what took
  -- an open one away.
  -- Tasks are fetched by their ids first, and looked at then: else they may be found by a walk through all that are open (Q14).
  with dependants as materialized (
    select d.*
    from office.tasks as d
    where d.id = any(
      array(select b.task_id from office.task_blockers as b where b.blocker_task_id = any(v_closed)) || v_freed
    )
  ),
  waiting as (
    select d.id as task_id, d.workspace_id, d.assignee_agent_id as agent_id
    from dependants as d
    where d.assignee_agent_id is not null
      and d.state not in ('proposed', 'done', 'cancelled')
      and office_internal.is_woken_for(d.id)
      and not office_internal.is_blocked(d.id)
  ),
  made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, requested_at
    )
    select
      x.workspace_id, x.agent_id, 'task_blockers_resolved', 'event', 'assignee', x.task_id,
      jsonb_strip_nulls(jsonb_build_object(
        'task_id', x.task_id,
        'resolved_blocker_ids', coalesce(e.resolved, '[]'), 'cancelled_blocker_ids', e.cancelled
      )),
      format('task_blockers_resolved:%s:%s', x.task_id, coalesce(f.event_id, office_internal.last_end(e.blockers || f.ended))),
      (select max(s.depth) from unnest(signals) as s where s.task_id = any(e.blockers) or s.task_id = x.task_id), office.now()
    from waiting as x
    cross join lateral (
      select
        (array_agg(v.id order by v.id desc) filter (where v.detail ->> 'open' = 'true'))[1] as event_id,
        array_agg((v.detail ->> 'blocker')::uuid) filter (where v.detail ->> 'open' = 'false') as ended
      from unnest(signals) as s
      join office.activity as v on v.id = s.event_id
      where s.task_id = x.task_id and s.kind = 'task_holds'
    ) as f
    cross join lateral (
      select
        array_agg(k.id) as blockers,
        jsonb_agg(k.id order by k.number) filter (where k.state = 'done') as resolved,
        jsonb_agg(k.id order by k.number) filter (where k.state <> 'done') as cancelled
      from office.task_blockers as b
      join office.tasks as k on k.id = b.blocker_task_id
      where b.task_id = x.task_id
    ) as e
    order by x.task_id
    on conflict do nothing
    returning id
  )
  select array_agg(made.id) into v_more from made;
  v_made := v_made || v_more;
  -- The last part ended: task_children_completed for the parent's assignee, or an inbox item when it has none.
  with wholes as materialized (
    select p.*
    from office.tasks as p
    where p.id = any(array(select c.parent_id from office.tasks as c where c.id = any(v_closed)))
  ),
  parents as (
    select p.id as task_id, p.workspace_id, p.number, p.title, p.assignee_agent_id as agent_id, e.children
    from wholes as p
    cross join lateral (
      select array_agg(c.id) as children, bool_and(office_internal.is_closed(c)) as ended
      from office.tasks as c
      where c.parent_id = p.id
    ) as e
    where not (p.state in ('done', 'cancelled') or p.archived_at is not null or p.deleted_at is not null)
      and e.ended
      and office_internal.is_woken_for(p.id)
  ),
  unled as (
    insert into office.inbox_items (workspace_id, kind, title, body, task_id, dedup_key)
    select
      p.workspace_id, 'task.parts_ended', format('All parts of t%s have ended', p.number),
      format('t%s "%s" has no assignee. Move it, or assign it.', p.number, p.title), p.task_id,
      format('task.parts_ended:%s', p.task_id)
    from parents as p
    where p.agent_id is null
    on conflict do nothing
  ),
  made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, requested_at
    )
    select
      p.workspace_id, p.agent_id, 'task_children_completed', 'event', 'assignee', p.task_id,
      jsonb_build_object('task_id', p.task_id),
      format('task_children_completed:%s:%s', p.task_id, office_internal.last_end(p.children)),
      (select max(s.depth) from unnest(signals) as s where s.task_id = any(p.children)), office.now()
    from parents as p
    where p.agent_id is not null
    order by p.task_id
    on conflict do nothing
    returning id
  )
  select array_agg(made.id) into v_more from made;
  return coalesce(v_made || v_more, '{}');
end
$$;

comment on function office_internal.wake_for_tasks(office_internal.signals[]) is 'Stores the wakes that changes of tasks entail.';
