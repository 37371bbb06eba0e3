-- S3, Q16, P7: an answer launches the same attempt again; what its earlier launch still says is not said of that one.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql
select plan(24);

create function pg_temp.code(statement text)
returns text
language sql
as $$ select (pg_temp.refusal(statement)).detail ->> 'code' $$;

select pg_temp.scenario('again', 'ann');
select pg_temp.running('ann') as w \gset
select pg_temp.attempt(:'w') as attempt \gset
select is((select a.launch from office.attempts as a where a.id = :'attempt'), 1, 'S3: the first launch of an attempt');
select office.record_steps(:'attempt', '[{"sequence": 1, "kind": "output", "content": "first"}]', 1);

-- P7: nothing is confirmed to be gone while its program may run.
select is(pg_temp.code(format('select office.confirm_cleanup(%L)', :'attempt')), 'conflict', 'P7: a live attempt is not cleaned up after');
select is((select a.cleaned_at from office.attempts as a where a.id = :'attempt'), null, 'P7: … and nothing is written');
select (pg_temp.ask(:'w')).decision as asked \gset
select is(pg_temp.code(format('select office.confirm_cleanup(%L)', :'attempt')), 'conflict', 'P7: … nor one that waits with its program');
select is(pg_temp.leave(:'w'), 'waiting', 'D9: its program has left');
select isnt((select a.cleaned_at from office.attempts as a where a.id = :'attempt'), null, 'P7: one that has left is');

-- Another worker goes on with it.
select current_setting('testing.worker') as first_worker \gset
select set_config('testing.worker', w.worker_id::text, true) from office.register_worker('other', max_runs => 9, workspace => 'again') as w;
select office.answer(:'asked', 'yes');
select c.launch || ' after ' || c.steps as launched from office.claim_runs(current_setting('testing.worker')::uuid, 1) as c where c.run_id is not null \gset
select is(:'launched'::text, '2 after 1', 'S3: the second launch of the same attempt, which knows the steps so far');
select is(pg_temp.code(format('select office.start_attempt(%L, launch => 1)', :'attempt')), 'attempt_superseded', 'Q16: a late start of the first launch');
select is((pg_temp.run(:'w')).status, 'claimed', 'Q16: … changes nothing');
select is(pg_temp.code(format('select office.finish_attempt(%L, launch => 1)', :'attempt')), 'attempt_superseded', 'Q16: a late end');
select is(pg_temp.code(format('select office.fail_attempt(%L, ''broken'', launch => 1)', :'attempt')), 'attempt_superseded', 'Q16: a late failure');
select is(
  (select f.refused from office.finish_attempts(jsonb_build_array(jsonb_build_object('attempt_id', :'attempt'::text, 'launch', 1))) as f),
  'attempt_superseded', 'Q16: … among many'
);
select is(pg_temp.code(format('select office.confirm_cleanup(%L, launch => 1)', :'attempt')), 'attempt_superseded', 'P7: a late cleanup is none of the second launch');
select is((pg_temp.run(:'w')).status, 'claimed', 'Q16: all these change nothing');
select is((select s.status from office.start_attempt(:'attempt', launch => 2) as s), 'running', 'S3: its own launcher starts it');
select is(
  (select s.refused from office.start_attempts(jsonb_build_array(jsonb_build_object('attempt_id', :'attempt'::text, 'launch', 1))) as s),
  'attempt_superseded', 'Q16: one start among many is told'
);
select is(
  pg_temp.code(format('select office.record_steps(%L, ''[{"sequence": 2, "kind": "output", "content": "late"}]'', 1)', :'attempt')),
  'attempt_superseded', 'Q16: a late step is none of the second launch'
);
select office.record_steps(:'attempt', '[{"sequence": 2, "kind": "output", "content": "second"}]', 2);
select results_eq(
  format('select s.content from office.attempt_steps as s where s.attempt_id = %L order by s.sequence', :'attempt'),
  array['first', 'second'], 'E1: the steps of both launches, in order'
);
-- It asks again, and the first launch ends late: the run waits on, with its program.
select (pg_temp.ask(:'w', 'And now?')).decision as more \gset
select office.finish_attempts(jsonb_build_array(jsonb_build_object('attempt_id', :'attempt'::text, 'launch', 1)));
select is(pg_temp.stands(:'w'), 'waiting, attempt 1 lives', 'D9: a late end of the first launch takes no program from the second');
select is(
  (select h.instruction from office.heartbeat(current_setting('testing.worker')::uuid, array[:'attempt'::uuid]) as h),
  'waiting', 'S6: its worker is told that it waits'
);
select is((select h.instruction from office.heartbeat(:'first_worker', array[:'attempt'::uuid]) as h), 'lost', 'Q22: … and the first that it is lost');
select office.answer(:'more', 'yes');
select pg_temp.ask(:'w', 'And now?');
select is((select f.outcome from office.finish_attempt(:'attempt', launch => 2) as f), 'succeeded', 'Q16: its own launcher ends it');
select is(pg_temp.code(format('select office.finish_attempt(%L, launch => 1)', :'attempt')), 'already_ended', 'P5: who ends it after that hears of the outcome');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
