-- office_internal.count_give_up: one more run of its agent in a row gave up (Q23). When it is the last of those that pause an agent, its
-- lane closes at once, and a change asks for its row's pause (A6); its live runs go on. People get an inbox item, and the one who
-- leads hears of it with the run's own failure (Q18). Answers the reason of the pause, null for none. The caller holds the gate.
create or replace function office_internal.count_give_up(run_id uuid)
returns text
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run office.runs;
  v_agent office.agents;
  v_workspace text;
  v_gave_up integer;
  v_most integer;
  v_reason text;
begin
  select * into v_run from office.runs as r where r.id = count_give_up.run_id;
  select * into v_agent from office.agents as a where a.id = v_run.agent_id;
  v_most := coalesce(v_agent.auto_pause_after, office_internal.setting('auto_pause_after', v_run.workspace_id)::integer);
  update office_internal.lanes as l
  set gave_up = l.gave_up + 1
  where l.agent_id = v_run.agent_id
  returning l.gave_up into v_gave_up;
  if v_most = 0 or v_gave_up < v_most or v_agent.status <> 'active' then
    return null;
  end if;
  v_reason := format('Auto-paused: %s in a row gave up', case v_gave_up when 1 then '1 run' else v_gave_up || ' runs' end);
  update office_internal.lanes as l set open = false where l.agent_id = v_agent.id;
  perform office_internal.remember(
    v_run.workspace_id, 'agent_held', jsonb_build_object('status', 'paused', 'reason', v_reason), null, v_agent.id
  );
  insert into office_internal.changes (workspace_id, kind, agent_id, from_state, to_state, reason, account_id)
  select v_run.workspace_id, 'pause_agent', v_agent.id, 'active', 'paused', v_reason, office_internal.system_account()
  where not exists (select from office_internal.changes as c where c.agent_id = v_agent.id and c.kind = 'pause_agent');
  select w.name into v_workspace from office.workspaces as w where w.id = v_run.workspace_id;
  insert into office.inbox_items (workspace_id, kind, title, body, agent_id, dedup_key)
  values (
    v_run.workspace_id, 'agent.paused', format('%s is paused. %s', v_agent.name, v_reason),
    format(
      'The last was r%s: select * from office.why(%L); what waits for it stays queued. Mend it, then: select * from office.resume(%L);',
      v_run.number, 'r' || v_run.number, v_workspace || '/' || v_agent.name
    ),
    v_agent.id, format('agent.paused:%s', v_agent.id)
  )
  on conflict do nothing;
  return v_reason;
end
$$;

comment on function office_internal.count_give_up(uuid) is 'Counts a run that gave up; pauses its agent after too many in a row.';
