-- office.agent_load: what each agent is doing. idle and working are derived, not stored (Q23).
create view office.agent_load with (security_invoker = true) as
select
  a.name as agent,
  w.name as workspace,
  a.role,
  case when a.status <> 'active' then a.status when n.active > 0 then 'working' else 'idle' end as status,
  a.status_reason,
  n.active,
  a.max_concurrent_sessions as capacity,
  n.queued,
  n.last_ended_at
from office.agents as a
join office.workspaces as w on w.id = a.workspace_id
cross join lateral (
  select
    count(*) filter (where r.status in ('claimed', 'running', 'waiting', 'stopping') or r.answered_at is not null) as active,
    count(*) filter (where r.status = 'queued' and r.answered_at is null) as queued,
    max(r.ended_at) as last_ended_at
  from office.runs as r
  where r.agent_id = a.id
) as n
where office.is_somebody() and a.deleted_at is null
order by w.name, a.name;

comment on view office.agent_load is 'Agents with what they do and what waits for them.';
comment on column office.agent_load.agent is 'The agent.';
comment on column office.agent_load.workspace is 'Its workspace.';
comment on column office.agent_load.role is 'Its role.';
comment on column office.agent_load.status is 'idle, working, paused or stopped.';
comment on column office.agent_load.status_reason is 'Why it is not active.';
comment on column office.agent_load.active is 'Its active runs.';
comment on column office.agent_load.capacity is 'Most at once.';
comment on column office.agent_load.queued is 'Runs that wait for it.';
comment on column office.agent_load.last_ended_at is 'When one last ended.';
