-- office_internal.give_tasks_back: what a stop or a drop does to the task (P6). sc-D6
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
select plan(9);

create function pg_temp.state(task text) returns text language sql as $$ select state from office.tasks where 't' || number = task $$;
create function pg_temp.wakes() returns bigint language sql as $$ select count(*) from office.wakeups $$;
-- A task whose run is under way.
create function pg_temp.going(title text, agent text) returns text language plpgsql as $$
declare v_task text := pg_temp.task(title, agent);
begin
  perform pg_temp.claim();
  perform office.start_attempt(r.attempt_id) from office.runs as r where r.task_id = pg_temp.task_id(v_task) and r.status = 'claimed';
  perform office.carry_out(), office.dispatch();
  return v_task;
end $$;
create function pg_temp.stop_run(task text) returns void language plpgsql as $$
begin
  perform office.stop('r' || r.number) from office.runs as r where r.task_id = pg_temp.task_id(task) and r.ended_at is null;
  perform office.finish_attempt(r.attempt_id) from office.runs as r where r.task_id = pg_temp.task_id(task) and r.status = 'stopping';
  perform office.carry_out(), office.dispatch();
end $$;

select pg_temp.scenario('acme', 'ann', 'bob');
select pg_temp.going('stopped', 'ann') as stopped \gset
select is(pg_temp.state(:'stopped'), 'in_progress', 'T5: a started run puts its task in progress');
select pg_temp.wakes() as before \gset
select pg_temp.stop_run(:'stopped');
select is(pg_temp.state(:'stopped'), 'todo', 'P6 sc-D6: a stop puts it back to todo');
select is(pg_temp.wakes(), :before::bigint, 'P6: which wakes nobody');
select testing.advance('2 minutes');
select is((select m.done from office.maintain() as m where m.piece = 'recovery'), 0, 'P2 T11 sc-D6: and recovery does not undo a stop');

select pg_temp.going('in review', 'ann') as reviewed \gset
select office.move_task(:'reviewed', 'in_review');
select pg_temp.stop_run(:'reviewed');
select is(pg_temp.state(:'reviewed'), 'in_review', 'P6 sc-D6: every other state stays');

-- A run that is not the assignee's
select pg_temp.task('bob''s', 'bob') as bobs \gset
select pg_temp.claim();
select office.start_attempt(r.attempt_id), office.finish_attempt(r.attempt_id) from office.runs as r where r.status = 'claimed';
select office.carry_out();
select pg_temp.wake('ann', 'user', pg_temp.about(:'bobs')) as w \gset
select pg_temp.claim();
select pg_temp.start(:'w');
select pg_temp.stop_run(:'bobs');
select is(pg_temp.state(:'bobs'), 'in_progress', 'P6: another agent''s run leaves the task alone');

-- Dropped after an interruption, and by hand
select pg_temp.going('dropped', 'ann') as dropped \gset
update office.runs set status = 'interrupted' where task_id = pg_temp.task_id(:'dropped') and status = 'running';
update office.runs set status = 'cancelled', cancel_reason = 'dropped' where task_id = pg_temp.task_id(:'dropped') and status = 'interrupted';
select office.carry_out();
select is(pg_temp.state(:'dropped'), 'todo', 'P6: a drop does as well, by a plain UPDATE');
select pg_temp.going('given up', 'ann') as failed \gset
select office.fail_attempt(r.attempt_id, 'broken', 'configuration') from office.runs as r where r.status = 'running';
select office.carry_out();
select is(pg_temp.state(:'failed'), 'in_progress', 'P6: a failure does not');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
