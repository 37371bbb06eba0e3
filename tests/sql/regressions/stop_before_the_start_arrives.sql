-- P6, sc-D6: a run that is stopped before its start has reached its task left that in progress, with nobody at work: the start was carried out
-- after the stop had looked. A message that is stopped while its assignee works on leaves the task alone.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
select plan(3);

create function pg_temp.live(task text)
returns uuid
language sql
as $$ select r.attempt_id from office.runs as r where r.task_id = pg_temp.task_id(task) and r.status in ('running', 'claimed', 'stopping') $$;

select pg_temp.scenario('back', 'ann', 'bob');
select pg_temp.task('Two', 'bob') as two \gset
select pg_temp.claim();
select office.start_attempt(pg_temp.live(:'two'));
select office.stop(:'two');
select office.finish_attempt(pg_temp.live(:'two'));
select office.carry_out();
select is((select t.state from office.tasks as t where t.id = pg_temp.task_id(:'two')), 'todo', 'P6: start and stop come at once: back in todo');
select pg_temp.task('Six', 'ann') as six \gset
select pg_temp.claim();
select office.start_attempt(pg_temp.live(:'six'));
select office.carry_out();
select x.run as message from office.sessions as s cross join lateral office.send_message(s.session, 'And?') as x where s.task = :'six' \gset
select office.stop(:'message');
select office.carry_out();
select is((select t.state from office.tasks as t where t.id = pg_temp.task_id(:'six')), 'in_progress', 'P6: what the assignee still works on stays');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
