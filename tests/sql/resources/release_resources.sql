-- P7: keys go when the launcher confirms that nothing is left, or the next worker of its host does, or an operator releases them.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/resources.psql
select plan(24);

select pg_temp.scenario('cleaning', 'idle');
select pg_temp.works_in('one', '/w'), pg_temp.works_in('two', '/w');
select pg_temp.wake('one') as one \gset
select pg_temp.claim();
select is(
  (select (r.state, r.message, r.hint)
    from pg_temp.refusal(format('select office.release_resources(%L)', 'r' || (pg_temp.run(:'one')).number)) as r),
  (
    'PT409'::text, format('r%s is not being cleaned up.', (pg_temp.run(:'one')).number),
    format('It is at work: select * from office.stop(''r%s'');', (pg_temp.run(:'one')).number)
  ), 'P7: a run at work is not released'
);
-- An attempt that never began leaves nothing behind.
select office.give_back(current_setting('testing.worker')::uuid, '{}');
select is(pg_temp.holds(:'one'), null, 'P7: what was never started is free at once');
select is(pg_temp.claim(), 'one:user', 'Q22: and is claimed again');

-- The launcher.
select pg_temp.start(:'one'), pg_temp.wake('two') as two \gset
select is(
  (pg_temp.refusal(format('select pg_temp.clean(%L)', :'one'))).detail ->> 'code', 'conflict', 'P7: a word too early is refused'
);
select is(pg_temp.holds(:'one'), 'folder:server:/w', 'P7: … and frees nothing');
select pg_temp.finish(:'one');
select pg_temp.clean(:'one');
select is(pg_temp.holds(:'one'), null, 'P7: the end does then');
select is(pg_temp.claim(), 'two:user', 'P7: and the next goes');
select pg_temp.start(:'two');

-- A run's own next try waits for what its last left.
select pg_temp.fail(:'two');
select testing.advance('3 hours');
select is(pg_temp.claim(), '', 'P7: nor does a run meet its own last attempt''s rest');
select matches(pg_temp.waits(:'two'), '^Same folder as r\d+ of two, which is being cleaned up \|', 'S5: and says so');
select is_empty('select * from office.audit()', 'Q26: the books');
select pg_temp.clean(:'two');
select is(pg_temp.claim(), 'two:user', 'P7: until it is cleaned up');
select pg_temp.start(:'two');

-- The operator.
select pg_temp.wake('one') as again \gset
select pg_temp.finish(:'two');
select is(pg_temp.claim(), '', 'P7: nobody confirms');
select is(office.release_resources('r' || (pg_temp.run(:'two')).number), 1, 'P7: an operator releases');
select is(pg_temp.claim(), 'one:user', 'P7: and who waited goes');
select is(
  (select v.detail from office.activity as v where v.kind = 'resources_released'), '{"keys": 1}', 'X5: which is activity'
);
select is(
  (pg_temp.refusal(format('select office.release_resources(%L)', 'r' || (pg_temp.run(:'two')).number))).hint, 'It holds nothing.',
  'P7: releasing again is refused'
);
select is((pg_temp.refusal('select office.release_resources(''r0'')')).detail ->> 'code', 'not_found', 'I2: an unknown run');

-- A worker that dies, and the next of its host.
select pg_temp.start(:'again'), pg_temp.wake('two') as last \gset
select office.expire_worker(current_setting('testing.worker')::uuid);
select is((pg_temp.run(:'again')).status, 'interrupted', 'P3: its worker dies');
select is(pg_temp.holds(:'again'), 'folder:server:/w?', 'P7: nobody knows what it left');
select set_config('testing.worker', w.worker_id::text, true) from office.register_worker('box', max_runs => 9, workspace => 'cleaning') as w;
select is(pg_temp.claim(), '', 'P7: others wait');
select ok(pg_temp.attempt(:'again') in (select a.attempt_id from office.abandoned_attempts('box') as a), 'P7: the next worker of its host is told');
select office.confirm_cleanup(a.attempt_id, 2) from office.abandoned_attempts('box') as a;
select is(pg_temp.claim(), 'two:user', 'P7: and when it has swept, who waited goes');
select is_empty('select * from office.audit()', 'Q26: the books');

set local session authorization default;
select office.create_account('carl', db_role => 'tester_carl');
create role tester_carl login;
grant office_client to tester_carl;
set local session authorization tester_carl;
select throws_ok('select office.release_resources(''r1'')', '42501', null, 'I5: only operators release');
reset session authorization;

select * from finish();
rollback;
