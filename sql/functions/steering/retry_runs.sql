-- office.retry_runs: a person lets many interrupted, failed or blocked runs be tried again, chosen by agent, workspace, task, status
-- (interrupted, failed, blocked) and the time since they ended, whichever are given (P4). First it only says what would become of each:
-- all is done, and undone again; dry_run => false does it. anew: as retry_run's.
-- Refuses no filter at all (missing), a status that is not tried again (invalid), unknown names (not_found), agents (forbidden).
-- Takes the gates of the workspaces chosen, all at once, also to look.
create or replace function office.retry_runs(
  agent text default null,
  workspace text default null,
  task text default null,
  status text default null,
  since timestamptz default null,
  anew boolean default false,
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
    retry_runs.agent, retry_runs.workspace, retry_runs.task, retry_runs.status, retry_runs.since, '{interrupted,failed,blocked}'
  );
  begin
    perform office_internal.take_gates(v_by.workspace_ids);
    select array_agg(r.id order by r.number), array_agg(r.status order by r.number)
    into v_ids, v_were
    from office.runs as r
    where r.workspace_id = any(v_by.workspace_ids) and r.status in ('interrupted', 'failed', 'blocked') and r.status = any(v_by.statuses)
      and (v_by.agent_id is null or r.agent_id = v_by.agent_id) and (v_by.task_id is null or r.task_id = v_by.task_id)
      and (retry_runs.since is null or r.ended_at >= retry_runs.since);
    perform office_internal.try_again(v_ids, v_account, coalesce(retry_runs.anew, false));
    v_became := array(select r.result from office.runs as r where r.id = any(v_ids) order by r.number);
    if retry_runs.dry_run is not false then
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

comment on function office.retry_runs(text, text, text, text, timestamptz, boolean, boolean)
is 'Tries many interrupted, failed or blocked runs again; says which and what of them first, and does it with dry_run => false.';
