-- office_internal.settle_idle: ends periodic runs of agents without an actionable task, where the agent skips those (Q13.4).
-- The caller holds the gate.
create or replace function office_internal.settle_idle(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  with skipped as (
    update office.runs as r
    set status = 'finished', outcome = 'idle_skipped', ended_at = office_internal.wall_clock()
    from office.agents as a
    where r.id = any(run_ids) and r.status is not distinct from 'queued' and r.class = 'periodic'
      and a.id = r.agent_id and a.skip_idle_wakeups
      and not exists (
        select
        from office.tasks as t
        where t.assignee_agent_id = r.agent_id and t.state in ('todo', 'in_progress')
          and t.archived_at is null and t.deleted_at is null
      )
    returning r.id, r.workspace_id, r.agent_id, a.name
  )
  insert into office.activity (workspace_id, kind, agent_id, run_id, wakeup_id, detail)
  select
    s.workspace_id, 'wakeup_idle_skipped', s.agent_id, s.id,
    (select w.id from office.wakeups as w where w.run_id = s.id order by w.position limit 1),
    jsonb_build_object('agent', s.name, 'reason', 'no_actionable_tasks')
  from skipped as s;
end
$$;

comment on function office_internal.settle_idle(uuid[]) is 'Ends periodic runs of agents that have nothing to do.';
