-- office.start_attempts: many programs run, at once (Q16): what cannot start says so and holds up no other; what is malformed is refused
-- whole, and nothing is written.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
select plan(19);

create function pg_temp.statuses(starts jsonb)
returns text
language sql
as $$
  select string_agg(concat_ws(' ', coalesce(s.status, '-'), s.refused), ', ' order by s.ordinality)
  from office.start_attempts(starts) with ordinality as s
$$;

select pg_temp.scenario('many', 'ann', 'bob', 'cat');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.wake('bob') as bob \gset
select pg_temp.wake('cat') as cat \gset
select pg_temp.claim();
select id as ann from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.attempt(:'ann') as a, pg_temp.attempt(:'bob') as b, pg_temp.attempt(:'cat') as c \gset

select is(
  pg_temp.statuses(jsonb_build_array(
    jsonb_build_object('attempt_id', :'b', 'pid', 4711, 'engine_session', 'engine-1'), jsonb_build_object('attempt_id', :'a')
  )),
  'running, running', 'Q16: all of them start, answered in the order of the call'
);
select results_eq(
  format($$ select pid, engine_session, started_at from office.attempts where id = %L $$, :'b'),
  $$ values (4711, 'engine-1', office.now()) $$, 'Q16: … each keeps what was said of it'
);
select is((pg_temp.run(:'cat')).status, 'claimed', 'Q16: … and no other does');
select office.carry_out();
select is((select t.state from office.tasks as t where t.id = pg_temp.task_id(:'task')), 'in_progress', 'Q16, T5: an assignee''s task goes to in_progress');
select pg_temp.look();
select is(pg_temp.runs(), 'bob:user:event:running:1, cat:user:event:claimed:1, ann:task_assigned:event:running:1', 'sc-T5: … which wakes nobody');

-- Again, and with what cannot start between
select testing.advance('1 second');
select is(pg_temp.statuses(jsonb_build_array(jsonb_build_object('attempt_id', :'b'))), 'running', 'Q16: starting again is a no-op');
select results_eq(
  format($$ select pid, engine_session, started_at from office.attempts where id = %L $$, :'b'),
  $$ values (4711, 'engine-1', office.now() - interval '1 second') $$, 'Q16: … the first start stands, with what it said'
);
select pg_temp.finish(:'ann');
select is(
  pg_temp.statuses(jsonb_build_array(
    jsonb_build_object('attempt_id', gen_random_uuid()), jsonb_build_object('attempt_id', :'a'), jsonb_build_object('attempt_id', :'c')
  )),
  '- not_found, finished attempt_superseded, running', 'Q16: an unknown and an ended one say so, and hold up no other'
);
select office.stop('r' || (pg_temp.run(:'bob')).number);
select is(
  pg_temp.statuses(jsonb_build_array(jsonb_build_object('attempt_id', :'b'), jsonb_build_object('attempt_id', :'b'))),
  'stopping, stopping', 'Q16, P2: what is stopping is told so, also when it is named twice'
);
select is(pg_temp.statuses('[]'), null, 'Q16: none is none');

-- A second attempt's start is not the first's (sc-W17)
select pg_temp.fail(:'cat');
select testing.advance('1 hour');
select is(pg_temp.claim(), 'cat:user', 'Q18: the retry is claimed');
select is(
  pg_temp.statuses(jsonb_build_array(jsonb_build_object('attempt_id', :'c', 'pid', 1))), '- attempt_superseded',
  'Q16, sc-W17: a late start of the first attempt is told so'
);
select is((pg_temp.run(:'cat')).status, 'claimed', 'Q16, sc-W17: … and leaves the second untouched');

-- Malformed: refused whole
select is(
  (select string_agg(distinct (r).state || ' ' || ((r).detail ->> 'field'), ', ')
    from (values ('{}'), ('[1]'), ('[{"attempt_id": "no"}]'), ('[{}]')) as v (starts)
    cross join lateral pg_temp.refusal(format('select * from office.start_attempts(%L)', v.starts)) as r),
  'PT422 starts', 'Q16: not a list of attempts'
);
select is(
  (select string_agg(distinct (r).state || ' ' || ((r).detail ->> 'code'), ', ')
    from (values ('"pid": "x"'), ('"pid": -1'), ('"pid": 3000000000'), ('"engine_session": 7')) as v (more)
    cross join lateral pg_temp.refusal(
      format('select * from office.start_attempts(%L)', format('[{"attempt_id": "%s", %s}]', pg_temp.attempt(:'cat'), v.more))
    ) as r),
  'PT422 invalid', 'Q16: a pid is a number, a session a text'
);
select is((pg_temp.refusal('select * from office.start_attempts(null)')).state, 'PT422', 'Q16: nothing is not a list');
select is(
  (pg_temp.refusal(format(
    'select * from office.start_attempts(%L)', jsonb_build_array(jsonb_build_object('attempt_id', pg_temp.attempt(:'cat')), 1)
  ))).state, 'PT422', 'Q16: one bad one among good ones'
);
select is((pg_temp.run(:'cat')).status, 'claimed', 'Q16: … starts none of them');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
