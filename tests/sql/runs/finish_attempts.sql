-- start_attempt, record_steps, finish_attempt, finish_attempts take the attempt (Q16): a late message changes nothing and is told so, the
-- same end again is a no-op. sc-W17
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(42);

-- Start

select pg_temp.scenario('start', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select is((pg_temp.run(:'w')).status, 'claimed', 'Q13.1: a launch is claimed');
select results_eq(
  format($$ select run_id, status from office.start_attempt(%L, 4711, 'engine-1') $$, pg_temp.attempt(:'w')),
  format($$ values (%L::uuid, 'running') $$, (pg_temp.run(:'w')).id), 'Q16: start → running'
);
select results_eq(
  format($$ select pid, engine_session, started_at from office.attempts where id = %L $$, pg_temp.attempt(:'w')),
  $$ values (4711, 'engine-1', office.now()) $$, 'Q16: … the attempt keeps what was said'
);
select testing.advance('1 second');
select is(pg_temp.start(:'w'), 'running', 'Q16: starting again is a no-op');
select is((select a.started_at from office.attempts as a where a.id = pg_temp.attempt(:'w')), office.now() - interval '1 second', 'Q16: … the first start stands');
select office.carry_out();
select is((select t.state from office.tasks as t where t.id = pg_temp.task_id(:'task')), 'in_progress', 'Q16: its assignee''s task goes to in_progress');
select pg_temp.look();
select is(pg_temp.runs(), 'ann:task_assigned:event:running:1', 'sc-T5: … which wakes nobody');
select office.stop('r' || (pg_temp.run(:'w')).number);
select is(pg_temp.start(:'w'), 'stopping', 'Q16: a start of what is stopping tells the launcher to stop');

-- Finish

select pg_temp.scenario('finish', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.start(:'w');
select pg_temp.attempt(:'w') as attempt \gset
select results_eq(
  format($$ select run_id, status, outcome from office.finish_attempt(%L, '{"summary": "done"}', 0) $$, :'attempt'),
  format($$ values (%L::uuid, 'finished', 'succeeded') $$, (pg_temp.run(:'w')).id), 'Q16: finish → finished'
);
select is((select r.summary from office.result(:'w') as r), 'done', 'Q10: office.result gives the summary');
select testing.advance('1 minute');
select results_eq(
  format($$ select status, outcome from office.finish_attempt(%L, '{"summary": "once more"}', 1) $$, :'attempt'),
  $$ values ('finished', 'succeeded') $$, 'Q16, sc-W17: the same finish twice is a no-op'
);
select is(
  (select a.result ->> 'summary' || ' ' || a.exit_code || ' ' || (a.ended_at = office.now() - interval '1 minute') from office.attempts as a where a.id = :'attempt'),
  'done 0 true', 'Q16, sc-W17: … the first stands'
);
select is((select count(*)::integer from office.activity as v where v.run_id = (pg_temp.run(:'w')).id and v.kind = 'run_ended'), 1, 'Q16, sc-W17: … it ended once');
select is(
  (r).state || ' ' || ((r).detail ->> 'code') || ' ' || ((r).detail ->> 'outcome'), 'PT409 already_ended succeeded',
  'Q16: another end is refused with the outcome that stands'
)
from pg_temp.refusal(format('select office.fail_attempt(%L, ''late'')', :'attempt')) as r;
select is((r).detail ->> 'code', 'already_ended', 'Q16: a start of what has ended is refused')
from pg_temp.refusal(format('select office.start_attempt(%L)', :'attempt')) as r;
select is((r).detail ->> 'code', 'already_ended', 'Q16: … and its steps')
from pg_temp.refusal(format('select office.record_steps(%L, ''[{"sequence": 1, "kind": "note", "content": "late"}]'')', :'attempt')) as r;
select is((pg_temp.run(:'w')).result, 'succeeded', 'Q16: … nothing has changed');

-- A message of attempt 1 after attempt 2 began

select pg_temp.scenario('superseded', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.attempt(:'w') as first \gset
select pg_temp.start(:'w');
select pg_temp.fail(:'w', 'exit 1');
select is((r).detail ->> 'code', 'attempt_superseded', 'Q16: a finish after the failure is refused')
from pg_temp.refusal(format('select office.finish_attempt(%L)', :'first')) as r;
select testing.advance('1 hour');
select pg_temp.claim();
select pg_temp.attempt(:'w') as second \gset
select isnt(:'first'::uuid, :'second'::uuid, 'Q16: a second attempt');
create temporary table untouched as select r.*, a.ended_at as attempt_ended_at from office.runs as r join office.attempts as a on a.id = r.attempt_id where a.id = :'second';
select is(
  (r).state || ' ' || ((r).detail ->> 'code'), 'PT409 attempt_superseded', format('Q16, sc-W17: late %s of the first is refused', x.call)
)
from (
  select c.call, pg_temp.refusal(format(c.statement, :'first')) as r
  from (values
    ('start', 'select office.start_attempt(%L)'),
    ('steps', 'select office.record_steps(%L, ''[{"sequence": 1, "kind": "note", "content": "late"}]'')'),
    ('finish', 'select office.finish_attempt(%L)')
  ) as c (call, statement)
) as x;
select is((select refused from office.finish_attempts(jsonb_build_array(jsonb_build_object('attempt_id', :'first')))), 'attempt_superseded', 'Q16, sc-W17: … in a batch it is told');
select is((select f.status from office.fail_attempt(:'first', 'exit 1') as f), 'claimed', 'Q16: the failure of the first, said again, is a no-op');
select results_eq(
  format('select r.*, a.ended_at from office.runs as r join office.attempts as a on a.id = r.attempt_id where a.id = %L', :'second'), 'select * from untouched',
  'Q16, sc-W17: the second is untouched'
);
select pg_temp.finish(:'w');
select is((pg_temp.run(:'w')).result, 'succeeded', 'Q16: … and ends by itself');

-- Unknown
select is((pg_temp.refusal('select office.finish_attempt(office.uuid7())')).state, 'PT404', 'Q16: an attempt that is not there');
select is((pg_temp.refusal('select office.start_attempt(office.uuid7())')).state, 'PT404', 'Q16: … to start');
select is((pg_temp.refusal('select office.fail_attempt(office.uuid7(), ''x'')')).state, 'PT404', 'Q16: … to fail');
select is((pg_temp.refusal('select office.record_steps(office.uuid7(), ''[]'')')).state, 'PT404', 'Q16: … to report of');
select is((pg_temp.refusal('select office.confirm_cleanup(office.uuid7())')).state, 'PT404', 'Q16: … to clean up after');

-- Many at once

select pg_temp.scenario('many', 'ann', 'bob', 'cis');
select pg_temp.wake('ann') as ann \gset
select pg_temp.wake('bob') as bob \gset
select pg_temp.wake('cis') as cis \gset
select pg_temp.claim();
select pg_temp.fail(:'bob', 'no such program', 'configuration');
select office.stop('r' || (pg_temp.run(:'cis')).number);
select office.uuid7() as nobody \gset
select results_eq(
  format(
    $$ select attempt_id::text, status, outcome, refused from office.finish_attempts(%L) $$,
    jsonb_build_array(
      jsonb_build_object('attempt_id', pg_temp.attempt(:'bob')), jsonb_build_object('attempt_id', :'nobody'),
      jsonb_build_object('attempt_id', pg_temp.attempt(:'ann'), 'result', '{"summary": "yes"}'::jsonb, 'exit_code', 0),
      jsonb_build_object('attempt_id', pg_temp.attempt(:'cis'))
    )
  ),
  format(
    $$ values (%L, 'blocked', null, 'already_ended'), (%L, null, null, 'not_found'), (%L, 'finished', 'succeeded', null), (%L, 'cancelled', null, null) $$,
    pg_temp.attempt(:'bob'), :'nobody', pg_temp.attempt(:'ann'), pg_temp.attempt(:'cis')
  ),
  'Q16, P2: many ends at once: each says for itself, in the order given, and holds up no other; what was stopping is cancelled'
);
select is((pg_temp.refusal(s.statement)).state, 'PT422', 'Q16: a malformed end is refused: ' || s.statement)
from (values
  ($$ select office.finish_attempts('{}') $$), ($$ select office.finish_attempts('[1]') $$), ($$ select office.finish_attempts('[{}]') $$),
  (format($$ select office.finish_attempts('[{"attempt_id": "%s", "result": 1}]') $$, :'nobody')),
  (format($$ select office.finish_attempt(%L, '[]') $$, :'nobody'))
) as s (statement);

-- Steps

select pg_temp.scenario('steps', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select is(
  office.record_steps(pg_temp.attempt(:'w'), '[{"sequence": 1, "kind": "message", "content": "one"}, {"sequence": 2, "kind": "tool_call", "content": "two"}]'), 2,
  'Q16, E1: steps are stored'
);
select is(office.record_steps(pg_temp.attempt(:'w'), '[{"sequence": 2, "kind": "note", "content": "again"}, {"sequence": 3, "kind": "note", "content": "three"}]'), 1, 'E1: a sequence that is there is ignored');
select is((select string_agg(s.content, ' ' order by s.sequence) from office.attempt_steps as s where s.attempt_id = pg_temp.attempt(:'w')), 'one two three', 'E1: … in order');

-- Clean-up
select pg_temp.finish(:'w');
select office.confirm_cleanup(pg_temp.attempt(:'w'), 2);
select office.confirm_cleanup(pg_temp.attempt(:'w'), 0);
select is((select a.killed || ' ' || (a.cleaned_at is not null) from office.attempts as a where a.id = pg_temp.attempt(:'w')), '2 true', 'K15: what a clean-up killed is recorded, once');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
