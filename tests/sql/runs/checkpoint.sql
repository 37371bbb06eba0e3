-- D2: what an agent saves to go on from, and which of its writes are done.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql
select plan(23);

create function pg_temp.refused(statement text)
returns text
language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r $$;

select pg_temp.scenario('saves', 'ann', 'bob');
select pg_temp.running('ann') as w \gset
select pg_temp.act(pg_temp.attempt(:'w'));
select is_empty('select * from office.checkpoint()', 'D2: nothing is saved yet');
select is_empty($$ select * from office.receipt('report') $$, 'D2: nothing is written yet');
select results_eq(
  $$ select c.attempt, c.saved_state, c.pending_operation, c.saved_tree, c.saved_at from office.checkpoint('{"read": 3}', '{"tool": "write"}', 'tree 1') as c $$,
  $$ values (1, '{"read": 3}'::jsonb, '{"tool": "write"}'::jsonb, 'tree 1', office.now()) $$, 'D2: a checkpoint'
);
select is((select c.saved_state from office.checkpoint('{"read": 4}') as c), '{"read": 4}', 'D2: a later one');
select is((select c.saved_state from office.checkpoint() as c), '{"read": 4}', 'D2: the last counts');
select results_eq(
  $$ select r.receipt, r.outcome, r.attempt, r.fresh from office.receipt('report', '{"path": "/r"}') as r $$,
  $$ values ('report', '{"path": "/r"}'::jsonb, 1, true) $$, 'D2: a receipt'
);
select results_eq(
  $$ select r.outcome, r.fresh from office.receipt('report', '{"path": "/other"}') as r $$, $$ values ('{"path": "/r"}'::jsonb, false) $$,
  'D2: the first stands'
);
select is((select r.outcome from office.receipt('report') as r), '{"path": "/r"}', 'D2: who looks is told');
select is_empty($$ select * from office.receipt('other') $$, 'D2: … of that write alone');
-- Refused
select is(pg_temp.refused($$ select office.checkpoint('[]') $$), 'PT422 invalid state', 'I3: a state is an object');
select is(pg_temp.refused($$ select office.checkpoint(jsonb_build_object('a', repeat('x', 300000))) $$), 'PT422 invalid state', 'I3: … that is not large');
select is(pg_temp.refused($$ select office.checkpoint('{}', '[]') $$), 'PT422 invalid operation', 'I3: an operation is an object');
select is(pg_temp.refused($$ select office.checkpoint('{}', '{}', '') $$), 'PT422 invalid tree', 'I3: a tree is a text');
select is(pg_temp.refused($$ select office.receipt(' ') $$), 'PT422 invalid key', 'I3: a key says something');
select is(pg_temp.refused($$ select office.receipt('a', '[]') $$), 'PT422 invalid detail', 'I3: a detail is an object');
select is(pg_temp.refused($$ select office.receipt('a', jsonb_build_object('a', repeat('x', 70000))) $$), 'PT422 invalid detail', 'I3: … that is not large');
select pg_temp.act_no_more();
select is(pg_temp.refused('select office.checkpoint()'), 'PT403 forbidden', 'D2: people save nothing');
select is(pg_temp.refused($$ select office.receipt('a') $$), 'PT403 forbidden', 'D2: … nor record');

-- The next attempt of the run, and another run.
select pg_temp.fail(:'w', 'broken');
select testing.advance('1 hour');
select pg_temp.claim();
select pg_temp.start(:'w');
select pg_temp.running('bob') as o \gset
select pg_temp.act(pg_temp.attempt(:'w'));
select results_eq(
  $$ select c.attempt, c.saved_state from office.checkpoint() as c $$, $$ values (1, '{"read": 4}'::jsonb) $$, 'D2: a retry knows the last checkpoint'
);
select results_eq(
  $$ select r.attempt, r.outcome from office.receipt('report') as r $$, $$ values (1, '{"path": "/r"}'::jsonb) $$, 'D2: … and what is written'
);
select pg_temp.act(pg_temp.attempt(:'o'));
select is_empty($$ select from office.receipt('report') as r union all select from office.checkpoint() as c $$, 'D2: another run knows nothing of it');
select pg_temp.act_no_more();
-- They go with their run.
select pg_temp.finish(:'w');
delete from office.attempt_prompts as p using office.attempts as a where a.id = p.attempt_id and a.run_id = (pg_temp.run(:'w')).id;
select (pg_temp.run(:'w')).id as run \gset
delete from office.wakeups where run_id = :'run';
delete from office.resources where run_id = :'run';
delete from office.continuation_summaries where updated_by_run_id = :'run';
delete from office.attempts where run_id = :'run';
delete from office.runs where id = :'run';
select is_empty(format('select from office.receipts as r where r.run_id = %1$L union all select from office.checkpoints as c where c.run_id = %1$L', :'run'), 'D2: they go with their run');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
