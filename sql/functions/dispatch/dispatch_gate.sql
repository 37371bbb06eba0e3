-- office_internal.dispatch_gate: the dispatch of one workspace, whose gate the caller holds (A6).
-- Takes up to 500 signals left since a transaction, and does, in this order, what they entail: settings, agents, tasks,
-- wakes. A signal says that something changed; what is so is read from committed state. Answers how many it took.
create or replace function office_internal.dispatch_gate(workspace_id uuid, since xid8)
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
      from office_internal.signals as c
      where c.workspace_id = dispatch_gate.workspace_id and c.xid >= since
      order by c.xid
      limit 500
    ))
    returning s.*
  )
  select array_agg(taken::office_internal.signals order by taken.id) into v_signals from taken;
  if v_signals is null then
    return 0;
  end if;
  v_wakeups := array(select s.wakeup_id from unnest(v_signals) with ordinality as s where s.kind = 'wakeup' order by s.ordinality);
  if exists (select from unnest(v_signals) as s where s.kind not in ('wakeup', 'look')) then
    if exists (select from unnest(v_signals) as s where s.kind = 'setting') then
      update office_internal.gates as g
      set slots = s.slots, excess = greatest(office_internal.count_active(g.workspace_id) - s.slots, 0)
      from (select office_internal.setting('max_concurrent_runs', dispatch_gate.workspace_id)::integer as slots) as s
      where g.workspace_id = dispatch_gate.workspace_id;
    end if;
    perform office_internal.follow_agents(array(select distinct s.agent_id from unnest(v_signals) as s where s.kind = 'agent'));
    v_wakeups := v_wakeups || office_internal.wake_for_tasks(v_signals);
    v_runs := office_internal.runs_of_signals(v_signals);
    perform office_internal.tell_waiting(v_signals);
  end if;
  v_wakeups := office_internal.guard_loops(v_wakeups);
  if cardinality(v_wakeups) > 0 then
    v_runs := v_runs || office_internal.merge_wakeups(dispatch_gate.workspace_id, v_wakeups);
  end if;
  perform office_internal.settle_queued(v_runs);
  perform office_internal.park_runs(v_runs);
  return cardinality(v_signals);
end
$$;

comment on function office_internal.dispatch_gate(uuid, xid8) is 'Dispatches the signals of a workspace whose gate is held.';
