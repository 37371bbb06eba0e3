-- office.settled: when there is nothing left to wait for, and how it ended (I8, Q10).
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(24);

-- As words: 'settled succeeded: …'.
create function pg_temp.settled(ref text)
returns text
language sql
as $$
  select concat_ws(
    ' ', case when s.settled then 'settled' else 'open' end, case when s.succeeded then 'succeeded' end,
    case when s.needs_person then 'needs a person' end
  ) || ': ' || s.result
  from office.settled(ref) as s
$$;
create function pg_temp.r(wakeup uuid) returns text language sql as $$ select 'r' || (pg_temp.run(wakeup)).number $$;

-- A run from its wish to its end
select pg_temp.scenario('way', 'ann');
select pg_temp.wake('ann') as w \gset
select is((select s.settled or s.succeeded or s.needs_person from office.settled(:'w') as s), false, 'I8: a wakeup that waits for the dispatch is open');
select pg_temp.look();
select is(pg_temp.settled(:'w'), 'open: queued', 'I8: … as one whose run is queued');
select pg_temp.claim();
select pg_temp.start(:'w');
select is(pg_temp.settled(:'w'), 'open: running', 'I8: … or runs');
select pg_temp.finish(:'w');
select is(pg_temp.settled(:'w'), 'settled succeeded: succeeded', 'I8: a success');
select is(pg_temp.settled(pg_temp.r(:'w')), 'settled succeeded: succeeded', 'I2: … of the run by its number');
select is(pg_temp.settled((pg_temp.run(:'w')).id::text), 'settled succeeded: succeeded', 'I2: … and by its id');

-- One that joined a run
select pg_temp.wake('ann') as w \gset
select pg_temp.wake('ann') as joined \gset
select pg_temp.claim();
select is(pg_temp.settled(:'joined'), 'open: claimed', 'Q10: what joined a run has its end');
select pg_temp.start(:'w');
select pg_temp.finish(:'w');
select is(pg_temp.settled(:'joined'), 'settled succeeded: succeeded', 'Q10: … and its success');

-- A task
select pg_temp.task('the task') as task \gset
select is(pg_temp.settled(:'task'), 'open: no run yet', 'I8: a task without a run is open');
select count(*) from office.assign_task(:'task', 'way/ann') \gset
select pg_temp.look();
select is(pg_temp.settled(:'task'), 'open: queued', 'I8: … is as its latest run');

-- Ends that are no success
select pg_temp.scenario('ends', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.look();
select count(*) from office.stop(pg_temp.r(:'w')) \gset
select is(pg_temp.settled(:'w'), 'settled: stopped', 'I8: stopped is settled and no success');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.fail(:'w');
select is(pg_temp.settled(:'w'), 'open: queued', 'Q18: what will be tried again is open');
select pg_temp.scenario('gives-up', 'ann') \gset
select office.set_setting('max_retry_count', '0', 'gives-up') \gset
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.fail(:'w');
select is(pg_temp.settled(:'w'), 'settled: failed', 'Q18: what gave up is settled, and no success');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.fail(:'w', 'no such program', 'configuration');
select is(pg_temp.settled(:'w'), 'settled needs a person: blocked', 'Q23: blocked needs a person');
select count(*) from office.retry_run(pg_temp.r(:'w')) \gset
select is(pg_temp.settled(:'w'), 'open: queued', 'P4: … until it is tried again');

-- Interrupted: its worker died
select pg_temp.scenario('dies', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.start(:'w');
select office.expire_worker(current_setting('testing.worker')::uuid) \gset
select is(pg_temp.settled(:'w'), 'settled needs a person: interrupted', 'P3: interrupted needs a person');

-- Without a run of their own
select pg_temp.scenario('alone', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select w.id as assigned from office.wakeups as w where w.task_id = pg_temp.task_id(:'task') \gset
select pg_temp.start(:'assigned');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as late \gset
select pg_temp.look();
select is((pg_temp.wakeup(:'late')).status, 'coalesced', 'Q4: a wake during the run joins it …');
select is(pg_temp.settled(:'late'), 'open: running', 'Q5: … and is open with it');
select count(*) from office.stop('agent:alone/ann') \gset
select pg_temp.finish(:'assigned');
select is(
  (select s.settled and not s.succeeded and not s.needs_person from office.settled(:'late') as s), true,
  'Q5: what came too late for a run of an agent that was stopped is settled by its own reason'
);
select is((pg_temp.run(:'late')).status <> 'queued', true, 'Q5: … and nothing is queued for it');

-- What is not there, who is nobody
select is((select r.state || ' ' || (r.detail ->> 'code') from pg_temp.refusal($$ select * from office.settled('r999999') $$) as r), 'PT404 not_found', 'I2: an unknown run');
select is((select r.state || ' ' || (r.detail ->> 'code') from pg_temp.refusal($$ select * from office.settled('018f0000-0000-7000-8000-000000000000') $$) as r), 'PT404 not_found', 'I2: an unknown id');
create role stranger_to_settled login;
grant office_reader to stranger_to_settled;
set local session authorization stranger_to_settled;
set local office.acting = '';
select throws_ok(format('select * from office.settled(%L)', 'r1'), 'PT401', null, 'I6: nobody is refused');
reset session authorization;
select is_empty('select * from office.audit()', 'Q26: the books are in order');

select * from finish();
rollback;
