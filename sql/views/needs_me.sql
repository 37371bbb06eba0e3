-- office.needs_me: what waits for a person, the oldest first, with what it blocks and how to answer (D1). What is past its time is no
-- longer shown, also before the sweep has closed it (D3).
create view office.needs_me with (security_invoker = true) as
select
  'd' || d.number as decision,
  d.kind,
  d.subject,
  w.name as workspace,
  a.name as agent,
  't' || t.number as task,
  'r' || r.number as run,
  d.prompt,
  d.choices,
  case
    when d.round is not null then 't' || t.number || ' is not done'
    when d.kind = 'approval' then a.name || ' hears of it'
    when d.kind = 'interrupted' then 'r' || r.number || ' is not tried again'
    else 'r' || r.number || ' waits, and holds a slot'
  end as blocks,
  d.asked_at,
  d.expires_at,
  format('select * from office.answer(%L, %L);', 'd' || d.number, d.choices -> 0 ->> 'id') as lift,
  d.id,
  d.operation
from office.decisions as d
join office.workspaces as w on w.id = d.workspace_id
left join office.agents as a on a.id = d.agent_id
left join office.tasks as t on t.id = d.task_id
left join office.runs as r on r.id = d.run_id
where office.is_somebody() and d.status = 'pending' and (d.expires_at is null or d.expires_at > office.now())
order by d.asked_at, d.id;

comment on view office.needs_me is 'Open decisions, the oldest first: what people are asked, what it blocks, how to answer.';
comment on column office.needs_me.decision is 'Its number: d12.';
comment on column office.needs_me.kind is 'approval, question, permission, publish or interrupted.';
comment on column office.needs_me.subject is 'What an approval is about.';
comment on column office.needs_me.workspace is 'Its workspace.';
comment on column office.needs_me.agent is 'The agent that asks, or whose run was interrupted.';
comment on column office.needs_me.task is 'The task it is about.';
comment on column office.needs_me.run is 'The run it comes from.';
comment on column office.needs_me.prompt is 'What is asked.';
comment on column office.needs_me.choices is 'What can be answered: [{"id", "text"}, …].';
comment on column office.needs_me.blocks is 'What waits for the answer.';
comment on column office.needs_me.asked_at is 'Since when it waits.';
comment on column office.needs_me.expires_at is 'When it expires; null: it waits for ever.';
comment on column office.needs_me.lift is 'How to answer, with the first choice.';
comment on column office.needs_me.id is 'Identity of the decision.';
comment on column office.needs_me.operation is 'What a permission or publish request is about, as it will be done.';
