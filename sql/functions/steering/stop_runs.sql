-- office.stop_runs: a person stops many runs, chosen by agent, workspace, task, status (queued, claimed, running, waiting, stopping) and
-- the time since they were asked for, whichever are given (P2). First it only says what would become of each: all is done, and undone
-- again; dry_run => false does it. An agent goes on working; office.stop stops an agent.
-- Refuses no filter at all (missing), a status that does not stop (invalid), unknown names (not_found), agents (forbidden).
-- Takes the gates of the workspaces chosen, all at once, also to look.
create or replace function office.stop_runs(
  agent text default null,
  workspace text default null,
  task text default null,
  status text default null,
  since timestamptz default null,
  reason text default null,
  dry_run boolean default true
)
returns table (run_id uuid, run text, agent_name text, task_number text, was text, becomes text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_account uuid := office_internal.need_person();
  v_by record;
  v_ids uuid[];
  v_were text[];
  v_became text[];
begin
  select * into v_by
  from office_internal.read_filter(
    stop_runs.agent, stop_runs.workspace, stop_runs.task, stop_runs.status, stop_runs.since,
    '{queued,claimed,running,waiting,stopping}'
  );
  begin
    perform office_internal.take_gates(v_by.workspace_ids);
    select array_agg(r.id order by r.number), array_agg(r.status order by r.number)
    into v_ids, v_were
    from (
      select r.* from office.runs as r
      where r.status = 'queued'
        and r.agent_id = any(array(select a.id from office.agents as a where a.workspace_id = any(v_by.workspace_ids)))
      union all
      select r.* from office.runs as r
      where r.workspace_id = any(v_by.workspace_ids) and r.status in ('claimed', 'running', 'waiting', 'stopping')
    ) as r
    where r.status = any(v_by.statuses)
      and (v_by.agent_id is null or r.agent_id = v_by.agent_id) and (v_by.task_id is null or r.task_id = v_by.task_id)
      and (stop_runs.since is null or r.requested_at >= stop_runs.since);
    perform office_internal.stop_these(v_ids, stop_runs.reason, v_account);
    v_became := array(select r.result from office.runs as r where r.id = any(v_ids) order by r.number);
    if stop_runs.dry_run is not false then
      raise exception using errcode = 'OFDRY';
    end if;
  exception when sqlstate 'OFDRY' then
    -- Undone, gates and all; what was seen stays.
    null;
  end;
  return query
    select r.id, 'r' || r.number, a.name, 't' || t.number, x.was, x.becomes
    from unnest(v_ids, v_were, v_became) with ordinality as x (id, was, becomes, nth)
    join office.runs as r on r.id = x.id
    join office.agents as a on a.id = r.agent_id
    left join office.tasks as t on t.id = r.task_id
    order by x.nth;
end
$$;

comment on function office.stop_runs(text, text, text, text, timestamptz, text, boolean)
is 'Stops many runs, live and queued; says which and what of them first, and does it with dry_run => false.';
