-- J1: once a day activity and consumed wakeups older than 30 days leave, in batches by key; what is still of use stays.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
select plan(17);

create function pg_temp.slot()
returns text
language sql
as $$
  select concat_ws(' ', to_char(m.slot at time zone 'UTC', 'YYYY-MM-DD'), m.done, case when m.ended_at is null then 'goes on' else 'done' end)
  from office.maintenance_slots as m
  where m.name = 'housekeeping'
  order by m.slot desc
  limit 1
$$;

select pg_temp.scenario('old', 'ann', 'bob', 'cis');
select office.set_setting('max_retry_count', '0', 'old');
select pg_temp.wake('ann') as ended \gset
select pg_temp.wake('bob') as failed \gset
select pg_temp.claim();
select pg_temp.start(:'ended'), pg_temp.finish(:'ended');
select pg_temp.start(:'failed'), pg_temp.fail(:'failed');
update office.agents set status = 'paused' where name = 'cis' and workspace_id = (select id from office.workspaces where name = 'old');
select pg_temp.wake('cis') as queued \gset
select pg_temp.look();
select pg_temp.run(:'failed') as run \gset
insert into office.activity (workspace_id, kind, at)
select id, 'old news', office.now() from office.workspaces, generate_series(1, 5) where name = 'old';
select is((select m.done from office.maintain() as m where m.piece = 'housekeeping') || pg_temp.slot(), '02035-01-01 0 goes on', 'J1: nothing is old yet');
select is((select m.done from office.maintain() as m where m.piece = 'housekeeping') || pg_temp.slot(), '02035-01-01 0 done', 'J1: the slot is done');
select testing.advance('29 days 23 hours');
insert into office.activity (workspace_id, kind, at) select id, 'fresh news', office.now() from office.workspaces where name = 'old';
select office.maintain(), office.maintain();
select is((select count(*)::integer from office.activity where kind = 'old news'), 5, 'J1: 30 days are kept');
select testing.advance('1 day');
select is(office_internal.purge_daily(2) <= 2, true, 'J1: a batch is bounded');
select is(split_part(pg_temp.slot(), ' ', 3), 'goes', 'J1: … and the slot goes on');
do $$
begin
  for n in 1..1000 loop
    exit when not exists (select from office.maintenance_slots as m where m.ended_at is null);
    perform office_internal.purge_daily(2);
  end loop;
end
$$;
select is(pg_temp.slot() like '2035-02-01 % done', true, 'J1: … until all has been walked, by key');
select is((select count(*)::integer from office.activity where kind = 'old news'), 0, 'J1: old activity has left');
select is((select count(*)::integer from office.activity where kind = 'fresh news'), 1, 'J1: … younger stays');
select is((select count(*) > 0 from office.activity where kind = 'limit_changed' and at < office.now() - interval '30 days'), true, 'J1, K9: … and what limits held when');
select is((select count(*)::integer from office.wakeups where id = :'ended'), 0, 'J1: a consumed wakeup has left');
select is((select count(*)::integer from office.wakeups where id in (:'failed', :'queued')), 2, 'J1, P4: … one that may be wanted still has not');
select is_empty('select * from office.audit()', 'Q26: the books balance');
select office.retry_run('r' || (pg_temp.run(:'failed')).number);
select is((pg_temp.run(:'failed')).status, 'queued', 'P4: a failed run of long ago is tried again');
select is_empty('select * from office.audit()', 'Q26: the books balance');
select is(office_internal.purge_daily(), 0, 'J1: a slot is done once');
insert into office.activity (workspace_id, kind, at)
select id, 'older news', office.now() - interval '40 days' from office.workspaces where name = 'old';
select is((select count(*)::integer from office.maintain() as m where m.piece = 'housekeeping' and m.done > 0), 0, 'J1: … whatever comes that day');
select is(
  (select concat_ws(' ', s.piece, s.due, to_char(s.last_slot at time zone 'UTC', 'MM-DD'), to_char(s.next_slot at time zone 'UTC', 'MM-DD'), s.done > 0)
    from office.maintenance_status as s where s.piece = 'housekeeping'),
  'housekeeping day 02-01 02-02 t', 'J1, J3: maintenance_status shows it'
);

select * from finish();
rollback;
