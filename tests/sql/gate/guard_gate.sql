-- A6: a hand-written UPDATE or DELETE of the office's tables locks the gates table first; a function locks its workspace's gate alone.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(7);

select from office.create_agent('builder', executor => '{"command": ["/bin/true"]}');
select from office.wake('builder');
create function pg_temp.gates_locked() returns text[] language sql
as $$
  select array_agg(l.mode order by l.mode) from pg_locks as l
  where l.relation = 'office_internal.gates'::regclass and l.pid = pg_backend_pid() and l.mode not in ('AccessShareLock', 'RowExclusiveLock')
$$;

select office.dispatch() as taken \gset
select is(pg_temp.gates_locked(), '{RowShareLock}', 'A6: a gate function locks its gate''s row');
select is(current_setting('lock_timeout'), '0', 'A6: the lock_timeout is the caller''s own');
update office.runs set depth = depth;
select is(pg_temp.gates_locked(), '{ExclusiveLock,RowShareLock}', 'A6: a hand-written UPDATE of runs locks all gates, also after a gate function');
select is(current_setting('lock_timeout'), '0', 'A6: its lock_timeout is taken back');
-- The state machine holds for it too, and an end by hand entails what an end entails.
select is((pg_temp.refusal($$ update office.runs set status = 'running' $$)).message, 'A run cannot go from queued to running.', 'Q9: a plain UPDATE meets the moves of a run');
update office.runs set status = 'cancelled';
select results_eq(
  $$ select r.result, w.status, w.reason from office.runs as r join office.wakeups as w on w.run_id = r.id $$,
  $$ values ('stopped', 'cancelled', 'stopped') $$, 'Q17: an end by hand settles the wakeups'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
