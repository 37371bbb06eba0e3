-- office.sessions: agent sessions and how they stand (N1): created → starting → running → idle → running …, ended.
create view office.sessions with (security_invoker = true) as
select
  's' || s.number as session,
  a.name as agent,
  't' || t.number as task,
  t.title,
  w.name as workspace,
  case
    when s.ended_at is not null then 'ended'
    when l.status = 'claimed' then 'starting'
    when l.status is not null then 'running'
    when s.last_run_id is null then 'created'
    else 'idle'
  end as state,
  'r' || l.number as live_run,
  'r' || p.number as last_run,
  (
    select count(*)::integer
    from office.runs as q
    where q.task_id = s.task_id and q.agent_id = s.agent_id and q.status = 'queued' and q.queue_position is not null
  ) as messages,
  s.engine_session,
  u.name as owner,
  s.created_at,
  s.used_at,
  s.ended_at,
  s.end_reason,
  s.id
from office.agent_sessions as s
join office.workspaces as w on w.id = s.workspace_id
join office.agents as a on a.id = s.agent_id
left join office.tasks as t on t.id = s.task_id
left join office.runs as p on p.id = s.last_run_id
left join office.accounts as u on u.id = s.started_by_account_id
left join lateral (
  select r.status, r.number
  from office.runs as r
  where r.session_id = s.id and r.status in ('claimed', 'running', 'waiting', 'stopping')
  order by r.number
  limit 1
) as l on true
where office.is_somebody()
order by s.number;

comment on view office.sessions is 'Agent sessions, and how they stand.';
comment on column office.sessions.session is 'Its number: s12.';
comment on column office.sessions.agent is 'The agent.';
comment on column office.sessions.task is 'The task.';
comment on column office.sessions.title is 'The task''s title.';
comment on column office.sessions.workspace is 'Its workspace.';
comment on column office.sessions.state is 'created, starting, running, idle or ended.';
comment on column office.sessions.live_run is 'The run that is under way.';
comment on column office.sessions.last_run is 'The run that really ran last.';
comment on column office.sessions.messages is 'How many messages wait in its queue.';
comment on column office.sessions.engine_session is 'The engine''s own session id.';
comment on column office.sessions.owner is 'Who started it, and may reorder its queue.';
comment on column office.sessions.created_at is 'When it was made.';
comment on column office.sessions.used_at is 'When its last run started.';
comment on column office.sessions.ended_at is 'When it ended.';
comment on column office.sessions.end_reason is 'Why it ended.';
comment on column office.sessions.id is 'Identity of the session.';
