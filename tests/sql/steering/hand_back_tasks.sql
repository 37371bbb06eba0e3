-- P6: what a stop or a drop does to the task. sc-D6
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
select plan(15);

create function pg_temp.state(task text)
returns text
language sql
as $$ select t.state from office.tasks as t where t.id = pg_temp.task_id(task) $$;
create function pg_temp.live(task text)
returns uuid
language sql
as $$
  select r.attempt_id from office.runs as r
  where r.task_id = pg_temp.task_id(task) and r.status in ('claimed', 'running', 'waiting', 'stopping')
$$;

select pg_temp.scenario('back', 'ann', 'bob');
select pg_temp.task('One', 'ann') as one \gset
select pg_temp.claim();
select office.start_attempt(pg_temp.live(:'one'));
select office.carry_out();
select is(pg_temp.state(:'one'), 'in_progress', 'T5: started');
select office.stop(:'one');
select office.carry_out();
select is(pg_temp.state(:'one'), 'in_progress', 'P6: while it is being stopped it stays');
select office.finish_attempt(pg_temp.live(:'one'));
select office.carry_out();
select is(pg_temp.state(:'one'), 'todo', 'P6, sc-D6: an in_progress task is back in todo');
select is(pg_temp.claim(), '', 'P6: which wakes nobody');
select is((select v.account_id = office_internal.system_account() from office.activity as v where v.task_id = pg_temp.task_id(:'one') and v.kind = 'task_moved' order by v.at desc, v.id desc limit 1), true, 'A6: the office did it');

-- Before the start has reached the task.
select pg_temp.task('Two', 'bob') as two \gset
select pg_temp.claim();
select office.start_attempt(pg_temp.live(:'two'));
select office.stop(:'two');
select office.finish_attempt(pg_temp.live(:'two'));
select office.carry_out();
select is(pg_temp.state(:'two'), 'todo', 'P6: also when both come at once');

-- Other states stay.
select pg_temp.task('Three', 'ann') as three \gset
select pg_temp.claim();
select office.start_attempt(pg_temp.live(:'three'));
select office.carry_out();
update office.tasks set state = 'in_review' where id = pg_temp.task_id(:'three');
select office.stop(:'three');
select office.finish_attempt(pg_temp.live(:'three'));
select office.carry_out();
select is(pg_temp.state(:'three'), 'in_review', 'P6, sc-D6: one in review is untouched');

-- A run that is not its assignee's.
select pg_temp.task('Four', 'ann') as four \gset
select pg_temp.claim();
select office.start_attempt(pg_temp.live(:'four'));
select office.carry_out();
select office.finish_attempt(pg_temp.live(:'four'));
select pg_temp.wake('bob', 'user', pg_temp.about(:'four'));
select pg_temp.claim();
select office.start_attempt(pg_temp.live(:'four'));
select office.stop(:'four');
select office.finish_attempt(pg_temp.live(:'four'));
select office.carry_out();
select is(pg_temp.state(:'four'), 'in_progress', 'P6: another agent''s run is stopped: the task stays');

-- Interrupted and dropped; interrupted and retried.
select pg_temp.task('Five', 'bob') as five \gset
select pg_temp.claim();
select office.start_attempt(pg_temp.live(:'five'));
select office.carry_out();
select office.expire_worker(current_setting('testing.worker')::uuid);
select office.carry_out();
select is(pg_temp.state(:'five'), 'in_progress', 'P6: an interrupted run leaves its task as it is');
select office.answer('d' || d.number, 'drop') from office.decisions as d where d.kind = 'interrupted' and d.status = 'pending';
select office.carry_out();
select is(pg_temp.state(:'five'), 'todo', 'P6: dropped: back in todo');
select set_config('testing.worker', w.worker_id::text, true) from office.register_worker('box', max_runs => 9, workspace => 'back') as w;
select is(pg_temp.claim(), '', 'P6: which wakes nobody');

-- A message is stopped while the assignee works on.
select pg_temp.task('Six', 'ann') as six \gset
select pg_temp.claim();
select office.start_attempt(pg_temp.live(:'six'));
select office.carry_out();
select x.run as message from office.sessions as s cross join lateral office.send_message(s.session, 'And?') as x where s.task = :'six' \gset
select office.stop(:'message');
select office.carry_out();
select is(pg_temp.state(:'six'), 'in_progress', 'P6: what the assignee still works on stays');

-- A pause is no stop; a failure neither.
select office.pause('workspace:back');
select office.finish_attempt(pg_temp.live(:'six'));
select office.carry_out();
select is(pg_temp.state(:'six'), 'in_progress', 'P6: a pause leaves the task as it is');
select office.resume('workspace:back');
select pg_temp.claim();
select office.start_attempt(pg_temp.live(:'six'));
select office.fail_attempt(pg_temp.live(:'six'), 'no such program', 'configuration');
select office.carry_out();
select is(pg_temp.state(:'six'), 'in_progress', 'P6: … and so does what only a person can mend');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
