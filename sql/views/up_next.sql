-- office.up_next: what is queued, in the order of the claim, and why each waits (S5).
create view office.up_next with (security_invoker = true) as
select
  'r' || r.number as run,
  a.name as agent,
  't' || t.number as task,
  t.title,
  w.name as workspace,
  r.reason,
  r.requested_at,
  coalesce(x.reason, 'nothing: it is next') as waiting_for,
  x.until,
  x.lift
from office.runs as r
join office.agents as a on a.id = r.agent_id
join office.workspaces as w on w.id = r.workspace_id
left join office.tasks as t on t.id = r.task_id
left join lateral (select f.reason, f.until, f.lift from office.waiting_for(r.id) as f limit 1) as x on true
where r.status = 'queued'
order by r.answered_at is null, r.requested_at, r.id;

comment on view office.up_next is 'Queued runs in the order of the claim, and why each waits.';
comment on column office.up_next.run is 'The run.';
comment on column office.up_next.agent is 'Its agent.';
comment on column office.up_next.task is 'Its task.';
comment on column office.up_next.title is 'The task''s title.';
comment on column office.up_next.workspace is 'Its workspace.';
comment on column office.up_next.reason is 'Why it was asked for.';
comment on column office.up_next.requested_at is 'When it was asked for.';
comment on column office.up_next.waiting_for is 'The first reason why it waits.';
comment on column office.up_next.until is 'Until when, where that is known.';
comment on column office.up_next.lift is 'What lifts the reason.';
