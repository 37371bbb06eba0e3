-- office.maintenance_status: the office's own work (J1): each piece, how often it is due, its last and next slot, and what that did.
create view office.maintenance_status with (security_invoker = true) as
select
  p.piece,
  p.due,
  m.slot as last_slot,
  m.ended_at,
  m.done,
  case
    when m.slot is not null and m.ended_at is null then m.slot
    when p.due = 'day' then (date_trunc('day', office.now() at time zone 'UTC') + interval '1 day') at time zone 'UTC'
  end as next_slot,
  p.meaning
from (
  values
    (1, 'leases', 'call', 'worker leases that have run out'),
    (2, 'retries', 'call', 'retries that nobody wants any more'),
    (3, 'holds', 'call', 'provider holds whose time has passed'),
    (4, 'decisions', 'call', 'decisions whose time has passed'),
    (5, 'budgets', 'call', 'budgets whose period has begun or ended'),
    (6, 'housekeeping', 'day', 'activity and consumed wakeups older than 30 days')
) as p (nth, piece, due, meaning)
left join lateral (
  select s.slot, s.ended_at, s.done
  from office.maintenance_slots as s
  where s.name = p.piece
  order by s.slot desc
  limit 1
) as m on true
where office.is_somebody()
order by p.nth;

comment on view office.maintenance_status is 'The office''s own work: what it last did, and when it is next due.';
comment on column office.maintenance_status.piece is 'The piece of work, as office.maintain answers it.';
comment on column office.maintenance_status.due is 'call: at every office.maintain; day: once a UTC day.';
comment on column office.maintenance_status.last_slot is 'The last slot that was begun; null where there are none.';
comment on column office.maintenance_status.ended_at is 'When that was done; null: it goes on.';
comment on column office.maintenance_status.done is 'How much that did.';
comment on column office.maintenance_status.next_slot is 'The next slot; null: with the next call.';
comment on column office.maintenance_status.meaning is 'What it is about.';
