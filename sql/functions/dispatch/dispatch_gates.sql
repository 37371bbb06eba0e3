-- office_internal.dispatch_gates: the dispatch of some workspaces, whose gates the caller holds (A6).
-- Takes up to so many signals of each, left since a transaction, and does, in this order, what they entail: settings, agents, tasks,
-- wakes. A signal says that something changed; what is so is read from committed state. Answers how many it took.
create or replace function office_internal.dispatch_gates(workspace_ids uuid[], since xid8, each integer default 500)
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_signals office_internal.signals[];
  v_wakeups uuid[];
  v_runs uuid[];
begin
  with taken as (
    delete from office_internal.signals as s
    where s.id = any(array(
      select c.id
      from unnest(workspace_ids) as g (id)
      cross join lateral (
        select n.id
        from office_internal.signals as n
        where n.workspace_id = g.id and n.xid >= since
        order by n.xid
        limit each
      ) as c
    ))
    returning s.*
  )
  select array_agg(taken::office_internal.signals order by taken.id) into v_signals from taken;
  if v_signals is null then
    return 0;
  end if;
  v_wakeups := array(select s.wakeup_id from unnest(v_signals) with ordinality as s where s.kind = 'wakeup' order by s.ordinality);
  if exists (select from unnest(v_signals) as s where s.kind not in ('wakeup', 'look')) then
    perform office_internal.follow_settings(array(
      select distinct s.workspace_id from unnest(v_signals) as s where s.kind = 'setting'
    ));
    perform office_internal.follow_budgets(array(
      select distinct s.workspace_id from unnest(v_signals) as s where s.kind = 'setting'
    ));
    perform office_internal.follow_agents(array(select distinct s.agent_id from unnest(v_signals) as s where s.kind = 'agent'));
    if exists (select from unnest(v_signals) as s where s.kind in ('task_unassigned', 'task_closed', 'task_holds', 'agent')) then
      perform office_internal.end_sessions(v_signals);
    end if;
    v_wakeups := v_wakeups || office_internal.wake_for_tasks(v_signals) || office_internal.follow_reviews(v_signals);
    perform office_internal.follow_checks(v_signals);
    if exists (select from unnest(v_signals) as s where s.kind = 'comment') then
      v_wakeups := v_wakeups || office_internal.wake_for_comments(v_signals);
    end if;
    v_runs := office_internal.runs_of_signals(v_signals);
    perform office_internal.tell_waiting(v_signals);
  end if;
  v_wakeups := office_internal.guard_loops(v_wakeups);
  if cardinality(v_wakeups) > 0 then
    v_runs := v_runs || office_internal.merge_wakeups(v_wakeups);
    -- Messages take their turn in their sessions' queues, and others of the same agents and tasks theirs.
    if exists (select from office.wakeups as w where w.id = any(v_wakeups) and w.source = 'message') then
      v_runs := v_runs || office_internal.queue_messages(v_wakeups);
    end if;
    v_runs := v_runs || array(
      select m.id
      from office.runs as r
      join office.runs as m on m.task_id = r.task_id and m.agent_id = r.agent_id and m.status = 'queued' and m.queue_position is not null
      where r.id = any(v_runs)
    );
  end if;
  if exists (select from unnest(v_signals) as s where s.kind = 'routine' or s.task_id is not null) then
    v_runs := v_runs || office_internal.follow_routines(v_signals);
  end if;
  perform office_internal.settle_queued(v_runs);
  perform office_internal.park_runs(v_runs);
  return cardinality(v_signals);
end
$$;

comment on function office_internal.dispatch_gates(uuid[], xid8, integer) is 'Dispatches the signals of workspaces whose gates are held.';
