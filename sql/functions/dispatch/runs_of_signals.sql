-- office_internal.runs_of_signals: the queued runs that changes of tasks, agents and keys may settle, hold or free; and a stop
-- for the live runs of whoever lost the task, of cancelled, archived and deleted tasks, of stopped agents, and of agents that
-- a person paused (Q13.2, T5, T6, P1, P2).
create or replace function office_internal.runs_of_signals(signals office_internal.signals[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  -- What a task blocks changes with its end, and when it is open again.
  v_blockers uuid[] := array(select s.task_id from unnest(signals) as s where s.kind in ('task_closed', 'task_holds'));
  -- As arrays, so that the runs are found by index whatever the statistics say.
  v_agents uuid[] := array(select s.agent_id from unnest(signals) as s where s.kind = 'agent');
  v_tasks uuid[] := array(
    select s.task_id from unnest(signals) as s where s.task_id is not null
    union
    select b.task_id from office.task_blockers as b where b.blocker_task_id = any(v_blockers)
  );
  v_runs uuid[];
begin
  perform office_internal.stop_live(array(
    select r.id
    from unnest(signals) as s
    join office.tasks as t on t.id = s.task_id
    join office.runs as r on r.task_id = t.id and r.status in ('claimed', 'running', 'waiting', 'stopping')
    where r.task_id = any(v_tasks)
      and case s.kind
        when 'task_closed' then t.state = 'cancelled' or t.archived_at is not null or t.deleted_at is not null
        when 'task_holds' then t.archived_at is not null or t.deleted_at is not null
        else false
      end
  ), 'task_cancelled');
  perform office_internal.stop_live(array(
    select r.id
    from unnest(signals) as s
    join office.tasks as t on t.id = s.task_id
    join office.runs as r on r.task_id = t.id and r.status in ('claimed', 'running', 'waiting', 'stopping')
    where r.task_id = any(v_tasks)
      and s.kind = 'task_unassigned' and r.agent_id = s.agent_id and t.assignee_agent_id is distinct from s.agent_id
      and (select bool_or(w.addresses = 'assignee') from office.wakeups as w where w.run_id = r.id)
  ), 'assignee_changed');
  perform office_internal.stop_live(array(
    select r.id
    from office.runs as r
    join office.agents as a on a.id = r.agent_id and (a.status = 'stopped' or a.deleted_at is not null)
    where r.agent_id = any(v_agents) and r.status in ('claimed', 'running', 'waiting', 'stopping')
  ), 'stopped');
  perform office_internal.stop_live(array(
    select r.id
    from office.runs as r
    join office.agents as a on a.id = r.agent_id and a.status = 'paused' and a.paused_by = 'person'
    where r.agent_id = any(v_agents) and r.status in ('claimed', 'running')
  ), 'paused');
  v_runs := array(
    select r.id from office.runs as r where r.task_id = any(v_tasks) and r.status is not distinct from 'queued'
    union
    select r.id from office.runs as r where r.agent_id = any(v_agents) and r.status = 'queued'
  );
  -- How long a window is, whether a lock is waited for, and whether a project's folder is worked in, are settings.
  if exists (select from unnest(signals) as s where s.kind = 'setting') then
    v_runs := v_runs || array(
      select r.id
      from unnest(signals) as s
      join office.runs as r on r.workspace_id = s.workspace_id and r.status = 'queued' and r.due_at is not null
      where s.kind = 'setting' and r.parked = 'window'
      union
      -- One that has left a shorter window gathers on.
      select r.id
      from unnest(signals) as s
      cross join lateral (
        select make_interval(secs => office_internal.setting('coalescing_window_seconds', s.workspace_id)::integer) as gathers
      ) as x
      join office.runs as r on r.workspace_id = s.workspace_id and r.status = 'queued' and r.parked is null
      where s.kind = 'setting' and r.task_id is not null and r.requested_at > office_internal.wall_clock() - x.gathers
      union
      select r.id
      from unnest(signals) as s
      join office.checkouts as c on c.workspace_id = s.workspace_id
      join office.runs as r on r.task_id = c.task_id and r.status is not distinct from 'queued' and r.parked = 'checkout'
      where s.kind = 'setting'
      union
      select w.run_id
      from unnest(signals) as s
      join office_internal.resource_waits as w on w.workspace_id = s.workspace_id
      where s.kind = 'setting'
    );
  end if;
  if exists (select from unnest(signals) as s where s.kind in ('freed', 'resource')) then
    v_runs := v_runs || office_internal.wake_waiters(signals);
  end if;
  if exists (select from office_internal.resource_waits as w where w.run_id = any(v_runs)) then
    -- What they work on may be another folder now.
    perform office_internal.follow_waits(v_runs);
  end if;
  return v_runs;
end
$$;

comment on function office_internal.runs_of_signals(office_internal.signals[])
is 'Queued runs that these signals concern; stops the live ones that they end.';
