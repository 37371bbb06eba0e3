-- office.stop: stops a run (r4812), a task's runs (t97), an agent (agent:builder or its name), a workspace (workspace:acme) or
-- everything (P2). Live runs are asked to stop and end cancelled; queued ones end at once; an agent becomes stopped until
-- it is resumed, and its queued runs end agent_stopped. Stopping again changes nothing.
-- Refuses unknown references (not_found), wakeups and routines (invalid), agents (forbidden), everything by
-- others than operators (forbidden).
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
  v_what record;
  v_agents uuid[];
  v_ids uuid[];
begin
  select * into v_what from office_internal.read_ref(ref);
  if v_what.kind = 'wakeup' then
    perform office_internal.refuse(
      'invalid', 'A wakeup is not stopped.', 'Stop its run: office.result tells which.', jsonb_build_object('field', 'ref')
    );
  elsif v_what.kind = 'routine' then
    perform office_internal.refuse(
      'invalid', 'A routine is not stopped.', 'Pause it: office.pause; or archive it: office.archive_routine.',
      jsonb_build_object('field', 'ref')
    );
  end if;
  -- The agent's row first: it is a people's row, and nothing waits for those under a gate, this transaction's earlier ones too.
  if v_what.kind = 'agent' then
    if not office_internal.is_by_hand() then
      perform from office.agents as a where a.id = v_what.id for no key update nowait;
    end if;
    update office.agents as a
    set status = 'stopped', status_reason = coalesce(stop.reason, 'stopped by a person')
    where a.id = v_what.id and a.status <> 'stopped';
  end if;
  perform office_internal.take_gates(v_what.workspace_ids);
  if v_what.kind not in ('run', 'task') then
    v_agents := array(
      select a.id from office.agents as a where a.workspace_id = any(v_what.workspace_ids) and (v_what.kind <> 'agent' or a.id = v_what.id)
    );
  end if;
  -- Each by its own index: what has ended is never walked.
  v_ids := case v_what.kind
    when 'run' then array(select r.id from office.runs as r where r.id = v_what.id and r.ended_at is null)
    when 'task' then array(select r.id from office.runs as r where r.task_id = v_what.id and r.ended_at is null)
    else array(
      select r.id
      from office.runs as r
      where r.agent_id = any(v_agents) and r.status = 'queued'
      union
      select r.id
      from office.runs as r
      where r.workspace_id = any(v_what.workspace_ids) and r.agent_id = any(v_agents)
        and r.status in ('claimed', 'running', 'waiting', 'stopping')
    )
  end;
  if v_what.kind = 'agent' then
    perform office_internal.follow_agents(array[v_what.id]);
    perform office_internal.settle_queued(v_ids);
  end if;
  perform office_internal.stop_these(v_ids, stop.reason, v_account);
  return query
    select r.id, 'r' || r.number, r.status, r.result
    from office.runs as r
    where r.id = any(v_ids)
    order by r.number;
end
$$;

comment on function office.stop(text, text)
is 'Stops a run, a task''s runs, an agent, workspace:NAME, or everything; answers the runs concerned.';
