-- office.routine_schedule: every routine with what fires it and when next (R20); one row a trigger, one for a routine without any.
create view office.routine_schedule with (security_invoker = true) as
with standing as (
  select
    q.id,
    case when q.status = 'active' and coalesce(m.value, o.value, 'on') = 'off' then 'off' else q.status end as status
  from office.routines as q
  left join office.settings as m on m.key = 'routines_enabled' and m.scope = 'account' and m.scope_id = q.created_by_account_id
  left join office.settings as o on o.key = 'routines_enabled' and o.scope = 'office'
)

select
  r.name as routine,
  w.name as workspace,
  s.status,
  a.name as agent,
  t.id as trigger_id,
  t.kind,
  t.expression,
  t.timezone,
  t.enabled,
  case when s.status = 'active' then t.next_run_at end as next_run_at,
  t.last_fired_at,
  f.status as last_status,
  r.last_run_at
from office.routines as r
join standing as s on s.id = r.id
join office.workspaces as w on w.id = r.workspace_id
join office.agents as a on a.id = r.assignee_agent_id
left join office.routine_triggers as t on t.routine_id = r.id
left join lateral (
  select u.status
  from office.routine_runs as u
  where u.routine_id = r.id and u.trigger_id = t.id
  order by u.fired_at desc, u.id desc
  limit 1
) as f on true
where office.is_somebody() and r.deleted_at is null
order by case when s.status = 'active' then t.next_run_at end nulls last, w.name, r.name;

comment on view office.routine_schedule is 'Routines with what fires them, and when next.';
comment on column office.routine_schedule.routine is 'The routine.';
comment on column office.routine_schedule.workspace is 'Its workspace.';
comment on column office.routine_schedule.status is 'active, paused, archived; off: active, and its maker''s routines are switched off.';
comment on column office.routine_schedule.agent is 'The agent that it wakes.';
comment on column office.routine_schedule.trigger_id is 'What fires it.';
comment on column office.routine_schedule.kind is 'schedule, once, webhook or manual.';
comment on column office.routine_schedule.expression is 'Cron expression of a schedule.';
comment on column office.routine_schedule.timezone is 'Zone of its wall clock.';
comment on column office.routine_schedule.enabled is 'Whether the trigger fires.';
comment on column office.routine_schedule.next_run_at
is 'When it fires next; null: by the clock never, or not while the routine is not active.';
comment on column office.routine_schedule.last_fired_at is 'When the trigger last fired.';
comment on column office.routine_schedule.last_status is 'What became of that.';
comment on column office.routine_schedule.last_run_at is 'When the routine last fired, by whatever.';
