-- office.add_blocker, office.remove_blocker and their triggers: what waits for what (T8, T6). sc-T6
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/refusal.psql
select plan(17);

select pg_temp.scenario('acme', 'ann');
select pg_temp.task('a') as a \gset
select pg_temp.task('b') as b \gset
select pg_temp.task('c') as c \gset
select pg_temp.task('d') as d \gset

select is((select (x).task from office.add_blocker(:'a', :'b') as x), :'a', 'T8: a waits for b');
select lives_ok(format('select office.add_blocker(%L, %L)', :'a', :'b'), 'T8: waiting already is no error');
select is((select count(*) from office.task_blockers), 1::bigint, 'T8: … and one row');
select office.add_blocker(:'b', :'c');
select is((pg_temp.refusal(format('select office.add_blocker(%L, %L)', :'a', :'a'))).state, 'PT409', 'T8: a task waits for itself: refused');
select is(
  (pg_temp.refusal(format('select office.add_blocker(%L, %L)', :'c', :'a'))).detail -> 'path', jsonb_build_array(:'c', :'a', :'b', :'c'),
  'T8 sc-T6: a cycle of three is refused with its path'
);
select is(
  (pg_temp.refusal(format('select office.add_blocker(%L, %L)', :'c', :'a'))).message,
  format('%s would wait for itself: %s waits for %s waits for %s waits for %s.', :'c', :'c', :'a', :'b', :'c'), 'T8 sc-T6: … and says it in words'
);
select is((pg_temp.refusal(format('select office.add_blocker(%L, %L)', :'b', :'a'))).state, 'PT409', 'T8: a cycle of two is refused');
select is(
  (pg_temp.refusal(format(
    'insert into office.task_blockers (workspace_id, task_id, blocker_task_id) select workspace_id, %L, %L from office.tasks where id = %1$L',
    pg_temp.task_id(:'c'), pg_temp.task_id(:'b')
  ))).detail ->> 'code', 'blocker_cycle', 'T8: by a hand-written INSERT as well'
);
select is(
  (pg_temp.refusal(format(
    'insert into office.task_blockers (workspace_id, task_id, blocker_task_id) select t.workspace_id, x.a, x.b from office.tasks as t,'
    ' (values (%L::uuid, %L::uuid), (%2$L, %1$L)) as x (a, b) where t.id = %1$L',
    pg_temp.task_id(:'d'), pg_temp.task_id(:'a')
  ))).detail ->> 'code', 'blocker_cycle', 'T8: both halves in one statement'
);
select is(
  (pg_temp.refusal(format(
    'update office.task_blockers set blocker_task_id = %L where task_id = %L', pg_temp.task_id(:'a'), pg_temp.task_id(:'b')
  ))).detail ->> 'code', 'blocker_cycle', 'T8: by an UPDATE'
);
select is((select count(*) from office.task_blockers), 2::bigint, 'T8: nothing of it was written');
select pg_temp.scenario('other', 'bob');
select pg_temp.task('elsewhere') as elsewhere \gset
select is((pg_temp.refusal(format('select office.add_blocker(%L, %L)', :'a', :'elsewhere'))).detail ->> 'field', 'blocked_by', 'T8: of another workspace: refused');
select is((pg_temp.refusal(format('select office.add_blocker(%L, %L)', :'a', 't99999'))).state, 'PT404', 'I2: an unknown task');

-- What it means for whom it holds
select set_config('testing.workspace', 'acme', true);
select pg_temp.task('work', 'ann') as work \gset
select office.dispatch();
select office.add_blocker(:'work', :'d');
select office.dispatch();
select is((select r.parked from office.runs as r where r.task_id = pg_temp.task_id(:'work')), 'blocker', 'Q12: its queued run is held');
select is((select (x).task from office.remove_blocker(:'work', :'d') as x), :'work', 'T8: it waits no longer');
select office.dispatch();
select is((select r.parked from office.runs as r where r.task_id = pg_temp.task_id(:'work')), null, 'Q12: … and its run is let go');
select is((pg_temp.refusal(format('select office.remove_blocker(%L, %L)', :'work', :'d'))).state, 'PT404', 'T8: what it does not wait for is not found');

select * from finish();
rollback;
