-- office.resume: lets a paused or stopped agent, a paused workspace (workspace:acme), or everything work again, and a paused routine
-- (routine:daily) fire again, at its next slot (P1, P2, R2). What
-- everything's pause held is resumed by everything's resume, a workspace's by its own. Answers what is resumed, and how many
-- runs wait there. Resuming what is not paused changes nothing.
-- Refuses unknown references (not_found), runs and tasks (invalid), agents (forbidden), everything by others than operators
-- (forbidden). Takes the gates, but for an agent and a routine none.
create or replace function office.resume(ref text)
returns table (resumed text, queued integer)
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
begin
  select * into v_what from office_internal.read_ref(ref);
  perform office_internal.need_pausable(v_what.kind, ref);
  if v_what.kind = 'agent' then
    update office.agents as a set status = 'active' where a.id = v_what.id and a.status <> 'active';
  elsif v_what.kind = 'routine' then
    update office.routines as r set status = 'active' where r.id = v_what.id and r.status <> 'active';
  else
    perform office_internal.take_gates(v_what.workspace_ids);
    update office_internal.gates as g
    set paused = g.paused and v_what.kind <> 'workspace',
      paused_with_all = g.paused_with_all and v_what.kind <> 'everything'
    where g.workspace_id = any(v_what.workspace_ids);
    insert into office_internal.signals (workspace_id, kind) select w.id, 'look' from unnest(v_what.workspace_ids) as w (id);
  end if;
  perform office_internal.remember(
    w.id, 'resumed', jsonb_build_object('ref', ref), v_account, case when v_what.kind = 'agent' then v_what.id end
  )
  from unnest(v_what.workspace_ids) as w (id);
  v_agents := array(
    select a.id
    from office.agents as a
    where a.workspace_id = any(v_what.workspace_ids) and (v_what.kind <> 'agent' or a.id = v_what.id)
  );
  return query
    select ref, count(*)::integer from office.runs as r
    where r.agent_id = any(v_agents) and r.status = 'queued' and (v_what.kind <> 'routine' or r.routine_id = v_what.id);
end
$$;

comment on function office.resume(text) is 'Lets an agent, workspace:NAME, routine:NAME, or everything work again.';
