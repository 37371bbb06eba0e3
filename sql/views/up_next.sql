-- office.up_next: who waits for an answer, then what is queued, in the order of the claim, and why each waits (S5); last what is not
-- dispatched yet.
create view office.up_next with (security_invoker = true) as
select
  'r' || q.number as run,
  a.name as agent,
  't' || t.number as task,
  t.title,
  w.name as workspace,
  q.reason,
  q.requested_at,
  q.waiting_for,
  q.until,
  q.lift
from (
  select
    r.number, r.agent_id, r.task_id, r.workspace_id, r.reason, r.requested_at,
    coalesce(x.reason, 'nothing: it is next') as waiting_for, x.until, x.lift,
    case when r.answered_at is null then 2 else 1 end as turn
  from office.runs as r
  left join lateral (
    select f.reason, f.until, f.lift
    from office.waiting_for(r.id) with ordinality as f (reason, until, lift, nth)
    order by f.nth
    limit 1
  ) as x on true
  where r.status = 'queued'
  union all
  -- It holds a slot, and goes on before anything new (S3).
  select
    r.number, r.agent_id, r.task_id, r.workspace_id, r.reason, r.requested_at,
    'an answer to d' || d.number, d.expires_at, format('select * from office.answer(%L, %L);', 'd' || d.number, d.choices -> 0 ->> 'id'), 0
  from office.runs as r
  cross join lateral (
    select d.*
    from office.decisions as d
    where d.attempt_id = r.attempt_id and d.status = 'pending' and d.kind in ('question', 'permission', 'publish')
    order by d.number
    limit 1
  ) as d
  where r.status = 'waiting'
  union all
  select
    null, u.agent_id, u.task_id, u.workspace_id, u.reason, u.requested_at,
    'the dispatch', null, 'select office.dispatch();', 3
  from office.undispatched() as u
) as q
join office.agents as a on a.id = q.agent_id
join office.workspaces as w on w.id = q.workspace_id
left join office.tasks as t on t.id = q.task_id
where office.is_somebody()
order by q.turn, q.requested_at, q.number;

comment on view office.up_next is 'Runs that wait for an answer, then queued ones in the order of the claim, and why each waits.';
comment on column office.up_next.run is 'The run; null: not dispatched yet.';
comment on column office.up_next.agent is 'Its agent.';
comment on column office.up_next.task is 'Its task.';
comment on column office.up_next.title is 'The task''s title.';
comment on column office.up_next.workspace is 'Its workspace.';
comment on column office.up_next.reason is 'Why it was asked for.';
comment on column office.up_next.requested_at is 'When it was asked for.';
comment on column office.up_next.waiting_for is 'The first reason why it waits.';
comment on column office.up_next.until is 'Until when, where that is known.';
comment on column office.up_next.lift is 'What lifts the reason.';
