-- office.health: one row a check, with the SQL that mends what is not well (I4). What is stuck is counted by kind; office.stuck shows each.
create view office.health with (security_invoker = true) as
with found as (
  select h.kind, count(*) as value, min(h.since) as since
  from office.held_up() as h
  group by h.kind
  union all
  select 'none', 1, max(w.beat_at)
  from office.workers as w
  having count(*) filter (where w.ended_at is null and w.lease_until > office.now()) = 0
)

select
  c.check_name,
  case when f.value is null then 'ok' else c.bad end as level,
  f.since,
  coalesce(f.value, 0) as value,
  case when f.value is not null then c.mend end as mend
from (
  values
    (1, 'no worker lives', 'none', 'error', 'officectl serve'),
    (2, 'wakes not dispatched for 1 minute', 'not dispatched', 'error', 'select office.dispatch();'),
    (3, 'runs ready and not claimed for 1 minute', 'not claimed', 'error', 'select * from office.stuck;'),
    (4, 'parked runs past their time', 'overdue', 'error', 'select * from office.stuck;'),
    (5, 'runs that wait for a worker', 'no worker', 'error', 'officectl serve'),
    (6, 'workers past their lease', 'lease', 'warning', 'select * from office.maintain();'),
    (7, 'changes not carried out for 1 minute', 'not carried out', 'error', 'select office.carry_out();'),
    (8, 'runs stopping for 3 minutes', 'stopping', 'warning', 'select * from office.stuck;'),
    (9, 'tasks locked for 1 hour while others wait', 'task locked', 'warning', 'select * from office.stuck;'),
    (10, 'runs not cleaned up after for 3 minutes while others wait', 'cleaned up', 'warning', 'select * from office.stuck;'),
    (11, 'pauses with work behind them', 'paused', 'warning', 'select * from office.stuck;'),
    (12, 'runs that need a person', 'needs a person', 'warning', 'select * from office.stuck;')
) as c (nth, check_name, kind, bad, mend)
left join found as f on f.kind = c.kind
where office.is_somebody()
order by c.nth;

comment on view office.health is 'One row a check; mend is the SQL or command for what is not well.';
comment on column office.health.check_name is 'What is looked at.';
comment on column office.health.level is 'ok, warning or error.';
comment on column office.health.since is 'Since when.';
comment on column office.health.value is 'How many; 0 is well.';
comment on column office.health.mend is 'What to run.';
