-- office.undispatched: what was asked for and the dispatch has not seen yet, of the caller's workspaces: normally for
-- milliseconds, without any worker for ever. up_next shows it, so that nothing asked for is invisible.
create or replace function office.undispatched()
returns table (workspace_id uuid, agent_id uuid, task_id uuid, reason text, requested_at timestamptz)
language sql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select
    s.workspace_id, coalesce(w.agent_id, s.agent_id), coalesce(w.task_id, s.task_id),
    coalesce(w.source, 'task_assigned'), coalesce(w.requested_at, v.at)
  from office_internal.signals as s
  left join office.wakeups as w on w.id = s.wakeup_id
  left join office.activity as v on v.id = s.event_id
  where s.kind in ('wakeup', 'task_assigned', 'task_started') and s.workspace_id in (select office.visible_workspaces())
  order by s.id
$$;

comment on function office.undispatched() is 'What was asked for and not dispatched yet.';
