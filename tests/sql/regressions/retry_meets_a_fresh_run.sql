-- A run that was tried again while a fresh one waited for the same scope broke the rule of one queued run (Q4) with a raw 23505.
-- Now the older run stays and takes the younger in, whichever is tried again and by whatever way (P4).
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(16);

-- The older one is tried again.
select pg_temp.scenario('older', 'ann');
select pg_temp.wake('ann') as first \gset
select pg_temp.claim();
select pg_temp.start(:'first');
select pg_temp.fail(:'first', 'no such program', 'configuration');
select pg_temp.wake('ann') as second \gset
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:blocked:1, ann:user:event:queued:1', 'Q4: a fresh run waits where one is blocked');
select lives_ok(format('select office.retry_run(%L)', 'r' || (pg_temp.run(:'first')).number), 'P4: the blocked one is tried again all the same');
select is(pg_temp.runs(), 'ann:user:event:queued:2, ann:user:event:cancelled/merged:0', 'Q4: the older stays, and takes the younger in');
select is((pg_temp.run(:'second')).id, (pg_temp.run(:'first')).id, 'Q4: … its wakeup with it');
select is(pg_temp.claim(), 'ann:user', 'Q4: … and runs once');

-- The younger one is tried again, where the older waits.
select pg_temp.scenario('younger', 'ann');
select pg_temp.wake('ann') as first \gset
select pg_temp.claim();
select pg_temp.start(:'first');
select pg_temp.fail(:'first', 'no such program', 'configuration');
select pg_temp.wake('ann') as second \gset
select pg_temp.claim();
select pg_temp.start(:'second');
select office.retry_run('r' || (pg_temp.run(:'first')).number);
select pg_temp.fail(:'second', 'no such program', 'configuration');
select lives_ok(format('select office.retry_run(%L)', 'r' || (pg_temp.run(:'second')).number), 'P4: the younger is tried again where the older waits');
select is(pg_temp.runs(), 'ann:user:event:queued:2, ann:user:event:cancelled/merged:0', 'Q4: the older takes it in');
select is((pg_temp.run(:'second')).id, (pg_temp.run(:'first')).id, 'Q4: … its wakeup with it');
select is(pg_temp.claim(), 'ann:user', 'Q4: … and runs once');

-- The older one waits behind a back-off, and the younger, which a person asked for, comes back without having failed: it goes now.
select pg_temp.scenario('back-off', 'ann');
select office.update_agent('back-off/ann', '{"max_concurrent_sessions": 2}');
select pg_temp.wake('ann', 'self', '{"reason": "a look around"}') as first \gset
select pg_temp.claim();
select pg_temp.start(:'first');
select pg_temp.fail(:'first', 'no such program', 'configuration');
select pg_temp.wake('ann') as second \gset
select pg_temp.claim();
select office.retry_run('r' || (pg_temp.run(:'first')).number);
select pg_temp.claim();
select pg_temp.start(:'first');
select pg_temp.fail(:'first');
select is((pg_temp.run(:'first')).parked || (pg_temp.run(:'second')).status, 'retryclaimed', 'Q18: one waits for its retry, the other is launched');
select office.give_back(current_setting('testing.worker')::uuid, '{}');
select is(pg_temp.runs(), 'ann:user:event:queued:2, ann:user:event:cancelled/merged:0', 'Q4: the older takes in what is given back');
select is(pg_temp.claim(), 'ann:user', 'Q21: … and a person''s wake does not wait behind its back-off');

-- By hand.
select pg_temp.scenario('by-hand', 'ann');
select pg_temp.wake('ann') as first \gset
select pg_temp.claim();
select pg_temp.start(:'first');
select pg_temp.fail(:'first', 'no such program', 'configuration');
select pg_temp.wake('ann') as second \gset
select pg_temp.look();
select lives_ok(format($$ update office.runs set status = 'queued' where id = %L $$, (pg_temp.run(:'first')).id), 'A1, P4: by a plain UPDATE too');
select is(pg_temp.runs(), 'ann:user:event:queued:2, ann:user:event:cancelled/merged:0', 'A1, Q4: … with the same end');
select is((pg_temp.wakeup(:'second')).status, 'coalesced', 'Q4: … the younger''s wakeup has joined');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
