-- office_internal.end_sessions: what these signals say of agents that left a task, and of tasks that are gone, ends their sessions, and
-- cancels the messages that wait in them (N1, T6). Whoever was taken off as a reviewer and is still otherwise on the task has not left it.
-- The caller holds the gates.
create or replace function office_internal.end_sessions(signals office_internal.signals[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_ended uuid[];
begin
  with leaving as (
    select distinct on (s.id) s.id, x.reason
    from unnest(signals) as n
    join office.agent_sessions as s on s.ended_at is null and (s.task_id = n.task_id or (n.kind = 'agent' and s.agent_id = n.agent_id))
    left join office.tasks as t on t.id = s.task_id
    cross join lateral (
      select case
        when n.kind = 'agent' and exists (select from office.agents as a where a.id = s.agent_id and a.deleted_at is not null)
          then 'agent_deleted'
        when n.kind in ('task_closed', 'task_holds') and (t.id is null or t.deleted_at is not null) then 'task_deleted'
        when n.kind in ('task_closed', 'task_holds') and t.state = 'cancelled' then 'task_cancelled'
        when n.kind = 'task_unassigned' and n.agent_id = s.agent_id and n.event_id is not null then 'reassigned'
        when n.kind = 'task_unassigned' and n.agent_id = s.agent_id and t.assignee_agent_id is distinct from s.agent_id
          and not exists (select from office.task_participants as p where p.task_id = s.task_id and p.agent_id = s.agent_id)
          then 'removed'
      end as reason
    ) as x
    where n.kind in ('agent', 'task_closed', 'task_holds', 'task_unassigned') and x.reason is not null
    order by s.id, n.id
  ),
  ended as (
    update office.agent_sessions as s
    set ended_at = office_internal.wall_clock(), end_reason = l.reason
    from leaving as l
    where s.id = l.id and s.ended_at is null
    returning s.id
  )
  select array_agg(e.id) into v_ended from ended as e;
  if v_ended is null then
    return;
  end if;
  update office.runs as r
  set status = 'cancelled',
    cancel_reason = case when s.end_reason in ('reassigned', 'removed') then 'assignee_changed' else 'task_terminal' end
  from office.agent_sessions as s
  where s.id = any(v_ended) and r.session_id = s.id and r.task_id = s.task_id and r.status is not distinct from 'queued'
    and r.queue_position is not null and r.answered_at is null;
end
$$;

comment on function office_internal.end_sessions(office_internal.signals[]) is 'Ends the sessions of agents that left their task.';
