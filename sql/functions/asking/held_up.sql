-- office.held_up: what is stuck, in the workspaces that the caller sees: what waits longer than it should, or cannot go on by itself; one
-- row each, with the SQL or command that mends it. The views stuck and health read it. Refuses nobody (no_identity).
--   needs a person      interrupted or blocked, or gave up and nobody has closed its inbox item
--   not dispatched      asked for more than a minute ago
--   no worker           claimable or due, and no worker lives that claims for its workspace
--   not claimed         ready for more than a minute, and nothing holds it
--   overdue             parked, and its time passed more than a minute ago
--   paused              an agent or workspace is paused, and work waits for it
--   stopping            was asked to stop more than 3 minutes ago
--   task locked         for more than an hour, and others wait for it
--   cleaned up          what an ended run worked on is not confirmed to be free after 3 minutes, and others wait for it
--   lease               a worker's ran out more than a minute ago, and nobody has swept it
--   not carried out     a change of people's tables, left more than a minute ago
create or replace function office.held_up()
returns table (kind text, subject text, workspace text, since timestamptz, reason text, mend text)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := office_internal.wall_clock();
  v_late timestamptz := v_now - interval '1 minute';
  v_seen uuid[] := array(select office.visible_workspaces());
  v_unserved uuid[] := array(select s.id from unnest(v_seen) as s (id) where not office_internal.has_worker(s.id, v_now));
  v_all_paused boolean := exists (select from office_internal.gates as g where g.paused_with_all);
begin
  return query
    select
      'needs a person', 'r' || r.number, w.name, r.ended_at,
      format('%s of %s: %s', r.status, a.name, left(coalesce(p.error, 'no word from it'), 300)),
      format('select * from office.retry_run(%L);', 'r' || r.number)
    from office.runs as r
    join office.workspaces as w on w.id = r.workspace_id
    join office.agents as a on a.id = r.agent_id
    left join office.attempts as p on p.id = r.attempt_id
    where r.workspace_id = any(v_seen) and r.status in ('interrupted', 'failed', 'blocked')
      and (r.status <> 'failed' or exists (select from office.inbox_items as i where i.run_id = r.id and i.closed_at is null));
  return query
    select
      'not dispatched', w.name || '/' || a.name, w.name, u.requested_at, format('asked for by %s, and not dispatched', u.reason),
      format('select office.dispatch(%L);', w.name)
    from office.undispatched() as u
    join office.workspaces as w on w.id = u.workspace_id
    join office.agents as a on a.id = u.agent_id
    where u.requested_at < v_late;
  -- What is queued: the pause that holds it, else the worker that it lacks, else nothing at all.
  return query
    with waiting as materialized (
      select
        r.number, r.workspace_id, r.agent_id, r.parked, r.due_at, r.answered_at, r.requested_at, r.scheduled_retry_at,
        w.name as workspace, a.name as agent, a.status_reason, g.pause_reason, g.slots,
        a.status = 'paused' as agent_paused, a.paused_by, g.paused, l.active, l.capacity, l.cooling_until,
        l.head_run_id is not distinct from r.id as first
      from office.agents as a
      join office.runs as r on r.agent_id = a.id and r.status = 'queued'
      join office.workspaces as w on w.id = r.workspace_id
      join office_internal.gates as g on g.workspace_id = r.workspace_id
      left join office_internal.lanes as l on l.agent_id = r.agent_id
      where a.workspace_id = any(v_seen)
    )
    select
      'paused', 'everything', null, min(q.requested_at), format('everything is paused, and %s runs wait', count(*)),
      'select * from office.resume(''everything'');'
    from waiting as q
    where v_all_paused
    having count(*) > 0
    union all
    select
      'paused', 'workspace:' || q.workspace, q.workspace, min(q.requested_at),
      format('paused: %s; %s runs wait', min(q.pause_reason), count(*)),
      format('select * from office.resume(%L);', 'workspace:' || q.workspace)
    from waiting as q
    where q.paused and not v_all_paused
    group by q.workspace
    union all
    select
      'paused', q.workspace || '/' || q.agent, q.workspace, min(q.requested_at),
      format('paused%s; %s runs wait', ': ' || min(q.status_reason), count(*)),
      coalesce(
        (
          select office_internal.budget_lift(b)
          from office_internal.budget_pauses as p
          join office.budgets as b on b.id = p.budget_id
          where p.agent_id = q.agent_id and q.paused_by = 'budget'
          order by p.since, b.id
          limit 1
        ),
        format('select * from office.resume(%L);', q.workspace || '/' || q.agent)
      )
    from waiting as q
    where q.agent_paused and not q.paused and not v_all_paused
    group by q.workspace, q.agent, q.agent_id, q.paused_by
    union all
    select
      'no worker', 'r' || q.number, q.workspace, coalesce(q.due_at, q.answered_at, q.requested_at), 'no worker lives', 'officectl serve'
    from waiting as q
    where q.workspace_id = any(v_unserved) and not (v_all_paused or q.paused or q.agent_paused) and (q.parked is null or q.due_at <= v_now)
    union all
    select
      'overdue', 'r' || q.number, q.workspace, q.due_at, format('parked (%s), and its time has passed', q.parked),
      format('select * from office.resume(%L);', 'workspace:' || q.workspace)
    from waiting as q
    where q.workspace_id <> all(v_unserved) and not (v_all_paused or q.paused or q.agent_paused) and q.due_at < v_late
    union all
    select
      'not claimed', 'r' || q.number, q.workspace, greatest(q.requested_at, q.scheduled_retry_at),
      'nothing holds it, and no worker has claimed it', format('select * from office.resume(%L);', 'workspace:' || q.workspace)
    from waiting as q
    where q.workspace_id <> all(v_unserved) and not (v_all_paused or q.paused or q.agent_paused) and q.parked is null and q.first
      and q.active < q.capacity and q.cooling_until is null and greatest(q.requested_at, q.scheduled_retry_at) < v_late
      and office_internal.count_active(q.workspace_id) < q.slots;
  return query
    select
      'stopping', 'r' || r.number, w.name, r.stopping_at,
      format('was asked to stop (%s), and its worker on %s has not ended it', r.stop_reason, k.host),
      format(
        'update office.runs set status = %L where number = %s and status = ''stopping'';',
        case r.stop_reason when 'paused' then 'queued' else 'cancelled' end, r.number
      )
    from office.runs as r
    join office.workspaces as w on w.id = r.workspace_id
    left join office.workers as k on k.id = r.worker_id
    where r.workspace_id = any(v_seen) and r.status = 'stopping' and r.stopping_at < v_now - interval '3 minutes';
  return query
    select
      'task locked', 't' || t.number, w.name, c.checkout_at,
      format('%s holds its lock (%s), and %s waits', 'r' || h.number, h.status, string_agg('r' || q.number, ', ' order by q.number)),
      case
        when h.status = 'waiting' then 'select * from office.needs_me;'
        else format('select * from office.release_task(%L);', 't' || t.number)
      end
    from office.checkouts as c
    join office.tasks as t on t.id = c.task_id
    join office.workspaces as w on w.id = c.workspace_id
    join office.runs as h on h.id = c.checkout_run_id
    join office.runs as q on q.task_id = c.task_id and q.status = 'queued' and q.parked = 'checkout'
    where c.workspace_id = any(v_seen) and c.checkout_at < v_now - interval '1 hour'
    group by t.number, w.name, c.checkout_at, h.number, h.status;
  return query
    select
      'cleaned up', 'r' || r.number, w.name, min(h.ended_at),
      format('what it worked on is not confirmed to be free, and others wait for it: %s', string_agg(distinct h.key, ', ')),
      format('select office.release_resources(%L);', 'r' || r.number)
    from office.resources as h
    join office.runs as r on r.id = h.run_id
    join office.workspaces as w on w.id = h.workspace_id
    cross join lateral office_internal.key_reach(h.key) as x
    where h.workspace_id = any(v_seen) and h.ended_at < v_now - interval '3 minutes'
      and exists (
        select
        from office_internal.resource_waits as q
        where q.key = any(x.above) or (q.key > x.inside_from and q.key < x.inside_to)
      )
    group by r.number, w.name;
  return query
    select
      'lease', format('worker on %s, pid %s', k.host, k.pid), w.name, k.lease_until, 'its lease has run out, and nobody has swept it',
      'select * from office.maintain();'
    from office.workers as k
    left join office.workspaces as w on w.id = k.only_workspace_id
    where k.ended_at is null and k.lease_until < v_late and (k.only_workspace_id is null or k.only_workspace_id = any(v_seen));
  return query
    select
      'not carried out', coalesce('t' || t.number, w.name || '/' || a.name), w.name, c.created_at,
      format('to go from %s to %s', c.from_state, c.to_state), 'select office.carry_out();'
    from office_internal.changes as c
    join office.workspaces as w on w.id = c.workspace_id
    left join office.tasks as t on t.id = c.task_id
    left join office.agents as a on a.id = c.agent_id
    where c.workspace_id = any(v_seen) and c.created_at < v_late;
end
$$;

comment on function office.held_up() is 'What is stuck, and what mends it; office.stuck is the view of it.';
