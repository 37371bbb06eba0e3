-- office.health: one row a check, with the SQL that mends what is not well (I4).
create view office.health with (security_invoker = true) as
select
  c.check_name,
  case when c.value = 0 then 'ok' else c.bad end as level,
  c.since,
  c.value,
  case when c.value <> 0 then c.mend end as mend
from (
  select
    'no worker lives' as check_name, 'error' as bad,
    (select max(w.beat_at) from office.workers as w) as since,
    (
      select case when count(*) = 0 then 1 else 0 end
      from office.workers as w
      where w.ended_at is null and w.lease_until > office.now()
    )::bigint as value,
    'officectl serve' as mend
  union all
  select
    'wakeups not dispatched for 1 minute', 'error', min(w.requested_at), count(*), 'select office.dispatch();'
  from office.wakeups as w
  where w.status = 'queued' and w.requested_at < office.now() - interval '1 minute'
  union all
  select
    'claimable runs not claimed for 10 minutes', 'warning', min(r.requested_at), count(*), 'select * from office.up_next;'
  from office.runs as r
  where r.status = 'queued' and r.parked is null and r.requested_at < office.now() - interval '10 minutes'
  union all
  select
    'runs that need a person', 'warning', min(r.ended_at), count(*), 'select * from office.inbox;'
  from office.runs as r
  where r.status in ('blocked', 'interrupted')
  union all
  select
    'workers past their lease', 'warning', min(w.lease_until), count(*), 'select * from office.maintain();'
  from office.workers as w
  where w.ended_at is null and w.lease_until < office.now()
) as c
where office.is_somebody();

comment on view office.health is 'One row a check; mend is the SQL or command for what is not well.';
comment on column office.health.check_name is 'What is looked at.';
comment on column office.health.level is 'ok, warning or error.';
comment on column office.health.since is 'Since when.';
comment on column office.health.value is 'How many; 0 is well.';
comment on column office.health.mend is 'What to run.';
