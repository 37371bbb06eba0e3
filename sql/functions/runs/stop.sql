-- office.stop: stops a run (r4812), a task's runs (t97), an agent (agent:builder or its name), a workspace (workspace:acme) or
-- everything (P2). Live runs are asked to stop and end cancelled; queued ones end at once; an agent becomes stopped until
-- it is resumed, and its queued runs end agent_stopped. Stopping again changes nothing.
-- Refuses unknown references (not_found), agents (forbidden), everything by others than operators (forbidden).
-- Takes the gates concerned.
create or replace function office.stop(ref text, reason text default null)
returns setof office.run_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_account uuid := office_internal.need_person();
  v_agent uuid;
  v_task uuid;
  v_run uuid;
  v_workspaces uuid[];
  v_agents uuid[];
  v_ids uuid[];
begin
  if lower(ref) = 'everything' then
    perform office_internal.need_operator();
    v_workspaces := array(select office.visible_workspaces());
  elsif ref like 'workspace:%' then
    v_workspaces := array[office_internal.find_workspace(split_part(ref, ':', 2))];
  elsif ref ~* '^t[0-9]+$' then
    v_task := office_internal.find_task(ref);
    v_workspaces := array(select t.workspace_id from office.tasks as t where t.id = v_task);
  elsif ref ~* '^r[0-9]+$' or office_internal.is_uuid(ref) then
    v_run := office_internal.find_run(ref);
    v_workspaces := array(select r.workspace_id from office.runs as r where r.id = v_run);
  else
    v_agent := office_internal.find_agent(regexp_replace(ref, '^agent:', ''));
    v_workspaces := array(select a.workspace_id from office.agents as a where a.id = v_agent);
  end if;
  -- The agent's row first: it is a people's row, and nothing waits for those under the gate.
  if v_agent is not null then
    update office.agents as a
    set status = 'stopped', status_reason = coalesce(stop.reason, 'stopped by a person')
    where a.id = v_agent and a.status <> 'stopped';
  end if;
  perform office_internal.take_gates(v_workspaces);
  if v_run is null and v_task is null then
    v_agents := array(
      select a.id from office.agents as a where a.workspace_id = any(v_workspaces) and (v_agent is null or a.id = v_agent)
    );
  end if;
  -- Each by its own index: what has ended is never walked.
  v_ids := case
    when v_run is not null then array(select r.id from office.runs as r where r.id = v_run and r.ended_at is null)
    when v_task is not null then array(select r.id from office.runs as r where r.task_id = v_task and r.ended_at is null)
    else array(
      select r.id
      from office.runs as r
      where r.agent_id = any(v_agents) and r.status = 'queued'
      union
      select r.id
      from office.runs as r
      where r.workspace_id = any(v_workspaces) and r.agent_id = any(v_agents)
        and r.status in ('claimed', 'running', 'waiting', 'stopping')
    )
  end;
  perform office_internal.stop_live(v_ids);
  if v_agent is not null then
    perform office_internal.follow_agents(array[v_agent]);
    perform office_internal.settle_queued(v_ids);
  else
    perform office_internal.end_stopped(array(
      select r.id from office.runs as r where r.id = any(v_ids) and r.status is not distinct from 'queued'
    ));
  end if;
  perform office_internal.remember(
    r.workspace_id, 'run_stopped', jsonb_strip_nulls(jsonb_build_object('reason', stop.reason)), v_account, r.agent_id, r.task_id, r.id, r.attempt_id
  )
  from office.runs as r
  where r.id = any(v_ids);
  return query
    select r.id, 'r' || r.number, r.status, r.result
    from office.runs as r
    where r.id = any(v_ids)
    order by r.number;
end
$$;

comment on function office.stop(text, text) is 'Stops a run, a task''s runs, an agent, workspace:NAME, or everything; answers the runs concerned.';
