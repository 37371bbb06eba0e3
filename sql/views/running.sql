-- office.running: what is under way.
create view office.running with (security_invoker = true) as
select
  'r' || r.number as run,
  a.name as agent,
  't' || t.number as task,
  t.title,
  w.name as workspace,
  office.run_label(r.status, r.result) as status,
  p.number as attempt,
  p.pid,
  k.host as worker,
  coalesce(p.started_at, p.claimed_at) as since
from office.runs as r
join office.agents as a on a.id = r.agent_id
join office.workspaces as w on w.id = r.workspace_id
join office.attempts as p on p.id = r.attempt_id
join office.workers as k on k.id = p.worker_id
left join office.tasks as t on t.id = r.task_id
where office.is_somebody() and r.status in ('claimed', 'running', 'waiting', 'stopping')
order by coalesce(p.started_at, p.claimed_at), r.id;

comment on view office.running is 'Runs under way.';
comment on column office.running.run is 'The run.';
comment on column office.running.agent is 'Its agent.';
comment on column office.running.task is 'Its task.';
comment on column office.running.title is 'The task''s title.';
comment on column office.running.workspace is 'Its workspace.';
comment on column office.running.status is 'Its label.';
comment on column office.running.attempt is 'Which attempt.';
comment on column office.running.pid is 'Process id of its program.';
comment on column office.running.worker is 'Host of its worker.';
comment on column office.running.since is 'Since when.';
