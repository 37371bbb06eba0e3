-- office.release_task: an operator frees a task's lock (T10).
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(18);

select pg_temp.scenario('locks', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select a.id as attempt from office.attempts as a where a.ended_at is null \gset
select office.start_attempt(:'attempt');
select pg_temp.wake('bob', 'user', pg_temp.about(:'task')) as bobs \gset
select is(pg_temp.claim(), '', 'T10: who is mentioned waits for the lock');
select is((pg_temp.run(:'bobs')).parked, 'checkout', 'T10: … parked');
select testing.advance('3 hours');
select is(
  (select h.mend from office.held_up() as h where h.kind = 'task locked'), format('select * from office.release_task(%L);', :'task'), 'I4: stuck says what frees it'
);
select results_eq(
  format('select * from office.release_task(%L)', :'task'),
  format($$ select %L::text, 'r' || r.number from office.runs as r where r.status = 'running' $$, :'task'), 'T10: it says who held it'
);
select is((select count(*) from office.checkouts), 0::bigint, 'T10: the lock is free');
select is((select r.status from office.runs as r where r.attempt_id = :'attempt'), 'running', 'T10: the run that held it works on without');
select is((select count(*) from office.activity as v where v.kind = 'task_released' and v.task_id = pg_temp.task_id(:'task')), 1::bigint, 'T10: with activity');
select is(pg_temp.claim(), 'bob:user', 'T10: who waited is claimed');
select is((select 'r' || r.number from office.checkouts as c join office.runs as r on r.id = c.checkout_run_id), 'r' || (pg_temp.run(:'bobs')).number, 'T10: … with the lock');
select office.finish_attempt(:'attempt');
select is((select count(*) from office.checkouts), 1::bigint, 'T10: the end of the first frees no other''s lock');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- A hand that removes the lock frees it as well
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as anns \gset
select is(pg_temp.claim(), '', 'T10: the next waits for it');
delete from office.checkouts where task_id = pg_temp.task_id(:'task');
select is((pg_temp.run(:'anns')).parked, null, 'T10: a DELETE of the lock lets it go');
select is(pg_temp.claim(), 'ann:user', 'T10: … and it is claimed');
select is_empty('select * from office.audit()', 'Q26: … by the book');

select is((pg_temp.refusal('select * from office.release_task(''t99999'')')).state, 'PT404', 'I2: an unknown task');
select pg_temp.task('free') as free \gset
select is((pg_temp.refusal(format('select * from office.release_task(%L)', :'free'))).detail ->> 'code', 'conflict', 'T10: one that is not locked');
create role clerk login;
grant office_client to clerk;
select office.create_account('clerk', db_role => 'clerk');
set local session authorization clerk;
select is((pg_temp.refusal(format('select * from office.release_task(%L)', :'free'))).state, '42501', 'I5: operators only');
reset session authorization;

select * from finish();
rollback;
