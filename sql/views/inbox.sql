-- office.inbox: what a person should look at, newest first.
create view office.inbox with (security_invoker = true) as
select
  i.id,
  w.name as workspace,
  i.kind,
  i.title,
  i.body,
  a.name as agent,
  't' || t.number as task,
  'r' || r.number as run,
  i.created_at
from office.inbox_items as i
join office.workspaces as w on w.id = i.workspace_id
left join office.agents as a on a.id = i.agent_id
left join office.tasks as t on t.id = i.task_id
left join office.runs as r on r.id = i.run_id
where office.is_somebody() and i.closed_at is null
order by i.created_at desc, i.id desc;

comment on view office.inbox is 'Open inbox items, newest first.';
comment on column office.inbox.id is 'Identity of the item.';
comment on column office.inbox.workspace is 'The workspace concerned.';
comment on column office.inbox.kind is 'What it is about.';
comment on column office.inbox.title is 'One line.';
comment on column office.inbox.body is 'What happened and what to do.';
comment on column office.inbox.agent is 'The agent.';
comment on column office.inbox.task is 'The task.';
comment on column office.inbox.run is 'The run.';
comment on column office.inbox.created_at is 'When it was made.';
