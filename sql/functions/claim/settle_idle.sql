-- office_internal.settle_idle: ends periodic runs of agents without an actionable task, where the agent skips those; and those of
-- agents for whom nothing in the workspace changed since their last run, where they skip these (Q13.4).
-- The caller holds the gates.
create or replace function office_internal.settle_idle(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (select from office.runs as r where r.id = any(run_ids) and r.class = 'periodic') then
    return;
  end if;
  with idle as materialized (
    select
      r.id, a.name,
      a.skip_idle_wakeups and not exists (
        select
        from office.tasks as t
        where t.assignee_agent_id = r.agent_id and t.state in ('todo', 'in_progress')
          and (t.archived_at is null and t.deleted_at is null) is true  -- so that no index of all open tasks is walked (Q14)
      ) as nothing_to_do,
      a.skip_unchanged_wakeups and not exists (
        select
        from office.activity as v
        where v.workspace_id = r.workspace_id and v.at > l.last_wakeup_finished_at
          and not (v.kind = 'wakeup_idle_skipped' and v.agent_id = r.agent_id)
      ) and l.last_wakeup_finished_at is not null as nothing_new
    from office.runs as r
    join office.agents as a on a.id = r.agent_id
    join office_internal.lanes as l on l.agent_id = r.agent_id
    where r.id = any(run_ids) and r.status is not distinct from 'queued' and r.class = 'periodic'
  ),
  skipped as (
    update office.runs as r
    set status = 'finished', outcome = 'idle_skipped', ended_at = office_internal.wall_clock()
    from idle
    where r.id = idle.id and r.status is not distinct from 'queued' and (idle.nothing_to_do or idle.nothing_new)
    returning r.id, r.workspace_id, r.agent_id, idle.name, idle.nothing_to_do
  )
  insert into office.activity (workspace_id, kind, agent_id, run_id, wakeup_id, detail)
  select
    s.workspace_id, 'wakeup_idle_skipped', s.agent_id, s.id,
    (select w.id from office.wakeups as w where w.run_id = s.id order by w.position limit 1),
    jsonb_build_object('agent', s.name, 'reason', case when s.nothing_to_do then 'no_actionable_tasks' else 'no_changes' end)
  from skipped as s;
end
$$;

comment on function office_internal.settle_idle(uuid[]) is 'Ends periodic runs of agents that have nothing to do.';
