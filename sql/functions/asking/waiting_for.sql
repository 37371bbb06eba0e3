-- office.waiting_for: why a queued run waits, and what lifts it; one row a reason, the run's own first (S5). What the
-- claim reads is read here: the run's hold, its agent's lane and row, its workspace's gate.
create or replace function office.waiting_for(run_id uuid)
returns table (reason text, until timestamptz, lift text)
language sql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set jit = off
as $$
  select v.reason, v.until, v.lift
  from office.runs as r
  join office.agents as a on a.id = r.agent_id
  join office.workspaces as s on s.id = r.workspace_id
  join office_internal.gates as g on g.workspace_id = r.workspace_id
  left join office_internal.lanes as l on l.agent_id = r.agent_id
  left join office.tasks as t on t.id = r.task_id
  left join office_internal.run_holds(array[r.id], office_internal.wall_clock()) as h on true
  left join office_internal.changes as c on c.agent_id = r.agent_id and c.kind = 'pause_agent' and c.to_state = 'paused'
  -- What has paused its agent, or is what it waits for.
  left join lateral (
    select b
    from office.budgets as b
    where b.id = coalesce(
      (
        select q.budget_id
        from office_internal.budget_pauses as q
        where q.agent_id = r.agent_id and (a.paused_by = 'budget' or c.paused_by = 'budget')
        order by q.since, q.budget_id
        limit 1
      ),
      r.parked_budget_id
    )
  ) as m (budget) on true
  left join lateral office_internal.provider_refusals(array[r.executor_id], office_internal.wall_clock()) as p on true
  cross join lateral (
    values
      -- A wake merges into no run that is solo, and into a routine's only when there is no other (Q4).
      (1, h.hold = 'retry', 'its retry is due', h.until, case
        when r.solo or r.routine_id is not null
          then format('update office.runs set scheduled_retry_at = null where number = %s;', r.number)
        else format('select * from office.wake(%L%s);', s.name || '/' || a.name, ', payload => ''{"task_id": "t' || t.number || '"}''')
      end),
      (2, h.hold = 'window', 'it gathers wakes that come in bursts', h.until, null),
      (3, h.hold = 'snooze', format('task t%s is snoozed', t.number), h.until,
        format('update office.tasks set snoozed_until = null where number = %s;', t.number)),
      (4, h.hold = 'blocker', format('task t%s waits for %s', t.number, (
        select string_agg(format('t%s "%s"', k.number, k.title), ', ' order by k.number)
        from office.task_blockers as b
        join office.tasks as k on k.id = b.blocker_task_id
        where b.task_id = t.id and not office_internal.is_closed(k)
      )), null, (
        select format('select * from office.move_task(''t%s'', ''cancelled'');', min(k.number))
        from office.task_blockers as b
        join office.tasks as k on k.id = b.blocker_task_id
        where b.task_id = t.id and not office_internal.is_closed(k)
      )),
      (5, h.hold = 'checkout', format('task t%s is locked by %s', t.number, (
        select 'r' || o.number from office.checkouts as c join office.runs as o on o.id = c.checkout_run_id where c.task_id = t.id
      )), null, (
        select format('select * from office.stop(''r%s'');', o.number)
        from office.checkouts as c join office.runs as o on o.id = c.checkout_run_id where c.task_id = t.id
      )),
      (5, h.hold = 'session', format('its session''s turn: r%s is before it', (
        select q.number from office.runs as q
        where q.id = office_internal.session_before(r.task_id, r.agent_id, r.id, r.queue_position)
      )), null, (
        select format('select * from office.reorder_queue(''s%s'', ''{r%s}'');', z.number, r.number)
        from office.agent_sessions as z
        where z.id = r.session_id and r.queue_position is not null
      )),
      (6, h.hold = 'resource', h.detail, null, (
        select
          case when k.ended_at is null then format('select * from office.stop(''r%s'');', o.number)
            else format('select office.release_resources(''r%s'');', o.number) end
        from office_internal.resource_holders(array[r.id]) as k
        join office.runs as o on o.id = k.holder_run_id and o.workspace_id in (select office.visible_workspaces())
      )),
      (7, p.executor_id is not null or h.hold = 'provider', coalesce(p.detail, h.detail), p.until, p.lift),
      (7, h.hold = 'budget', h.detail, h.until, office_internal.budget_lift(m.budget)),
      -- A pause that the office sets closes the lane before it reaches the agent's row.
      (8, a.status = 'paused' or c.agent_id is not null,
        format('%s is paused%s', a.name, coalesce(': ' || coalesce(a.status_reason, c.reason), '')), null,
        coalesce(
          case when a.paused_by = 'budget' or c.paused_by = 'budget' then office_internal.budget_lift(m.budget) end,
          format('select * from office.resume(%L);', s.name || '/' || a.name)
        )),
      (9, g.paused, format('workspace %s is paused: %s', s.name, g.pause_reason), null,
        format('select * from office.resume(%L);', 'workspace:' || s.name)),
      (9, exists (select from office_internal.gates as o where o.paused_with_all), 'everything is paused', null,
        'select * from office.resume(''everything'');'),
      (10, l.active >= l.capacity, format('%s has %s of %s runs going', a.name, l.active, l.capacity), null,
        format('select * from office.update_agent(%L, ''{"max_concurrent_sessions": %s}'');', s.name || '/' || a.name, l.active + 1)),
      (11, l.cooling_until > office_internal.wall_clock(), format('%s cools down', a.name), l.cooling_until,
        format('select * from office.update_agent(%L, ''{"cooldown_sec": 0}'');', s.name || '/' || a.name)),
      (12, (select f.free <= 0 from office_internal.free_slots(array[r.workspace_id]) as f),
        format('every slot of workspace %s is in use (%s)', s.name, g.slots), null,
        -- More may be going than there are slots: the extra run, or slots that were taken away.
        (select
          case when n.active < 8 then format('select office.set_setting(''max_concurrent_runs'', ''%s'', %L);', n.active + 1, s.name) end
          from office_internal.count_active(r.workspace_id) as n (active))),
      (13, l.head_run_id is distinct from r.id and r.parked is null, format('others of %s are before it', a.name), null, null),
      (14, not office_internal.has_worker(r.workspace_id, office_internal.wall_clock()), 'no worker lives', null, 'officectl serve'),
      (15, r.answered_at is not null and not office_internal.is_cleaned_up(r.attempt_id),
        'its last launch is being cleaned up', null, null)
  ) as v (rank, holds, reason, until, lift)
  where r.id = waiting_for.run_id and r.status = 'queued' and v.holds
    -- An answered run has its slot and its agent's room already (S3).
    and (r.answered_at is null or v.rank in (8, 9, 14, 15))
    and r.workspace_id in (select office.visible_workspaces())
  order by v.rank
$$;

comment on function office.waiting_for(uuid) is 'Why a queued run waits, and what lifts each reason.';
