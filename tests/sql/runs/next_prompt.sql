-- office.next_prompt and the heartbeat's "show": what merged into a live run is told to its program, where that takes another prompt (Q5);
-- an engine session that was lost is told all again in the same attempt (X5). sc-X3
-- office.add_feedback: a person's word on a run (E3).
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(33);

create function pg_temp.told()
returns text[]
language sql
as $$
  select array_agg(h.instruction || coalesce(' ' || (h.detail ->> 'wakeups'), '') order by h.instruction)
  from office.heartbeat(current_setting('testing.worker')::uuid, '{}') as h
$$;

select pg_temp.scenario('show', 'ann', 'bob');
select office.update_agent('show/ann', '{"executor": {"kind": "acp", "command": ["/bin/true"]}}');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.task('the other', 'bob') as other \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select id as o from office.wakeups where task_id = pg_temp.task_id(:'other') \gset
select pg_temp.attempt(:'w') as attempt \gset
select office.start_attempt(pg_temp.attempt(:'w'), 1, 'e-1'), pg_temp.start(:'o');
select office.carry_out();
select pg_temp.look();
select is(pg_temp.told(), null, 'Q5: nothing is new to show');
select is_empty(format('select * from office.next_prompt(%L)', :'attempt'), 'Q5: … and there is no next prompt');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task', '{"context": "First, please."}')) as w2 \gset
select pg_temp.wake('ann', 'self', pg_temp.about(:'task', '{"reason": "Then that."}')) as w3 \gset
select pg_temp.wake('bob', 'user', pg_temp.about(:'other', '{"context": "x"}')) as o2 \gset
select pg_temp.look();
select is(pg_temp.told(), array['show 2'], 'Q5, I4: the heartbeat says what is new to show, where the executor says that it takes prompts');
select testing.advance('1 minute');
select * from office.next_prompt(:'attempt', 1) \gset next_
select is(:next_wakeups, 2, 'Q5: next_prompt tells both');
select is(:'next_prompt'::text,
  format(E'# Why you were woken again\n\nsystem asks you about task %s.\n\n```text\nFirst, please.\n```\n\nYou asked to be woken:\n\n```text\nThen that.\n```\n\n---\n\n# What is new where it stands\n\nTask %s, in_progress, priority medium\n', :'task', :'task'),
  'Q5, C2: … and what is new where it stands, no more');
select results_eq(
  format($$ select a.shown_wakeups, a.prompt_built_at, a.engine_session from office.attempts as a where a.id = %L $$, :'attempt'),
  $$ values (3, office.now(), 'e-1') $$, 'Q5: … the wakeups are shown'
);
select is(
  (select right(p.assembled_prompt, length(:'next_prompt') + 6) from office.attempt_prompts as p where p.attempt_id = :'attempt'), E'\n---\n\n' || :'next_prompt',
  'Q5, C1: … and the attempt keeps what it was told'
);
select is(pg_temp.told(), null, 'Q5: … once');
select is_empty(format('select * from office.next_prompt(%L)', :'attempt'), 'Q5: … nothing more to tell');
select is(
  (r).state || ' ' || ((r).detail ->> 'code'), 'PT409 conflict', 'Q5: a program that takes one prompt only is told nothing'
) from pg_temp.refusal(format('select * from office.next_prompt(%L)', pg_temp.attempt(:'o'))) as r;
select is((r).detail ->> 'code', 'attempt_superseded', 'Q16: of another launch nothing is said') from pg_temp.refusal(format('select * from office.next_prompt(%L, 2)', :'attempt')) as r;
select is((r).detail ->> 'code', 'not_found', 'Q16: nor of an attempt that is none') from pg_temp.refusal('select * from office.next_prompt(office.uuid7())') as r;
select is(pg_temp.finish(:'w'), 'succeeded', 'it ends');
select is(pg_temp.finish(:'o'), 'succeeded', 'the other, too');
select pg_temp.look();
select is(
  (select count(*)::integer from office.runs as r where r.task_id = pg_temp.task_id(:'task')), 1, 'Q5: what was shown needs no follow-up'
);
select is((pg_temp.run(:'o2')).status, 'queued', 'Q5: what was not, has one');
select is((r).detail ->> 'code', 'already_ended', 'Q16: an ended attempt is told nothing') from pg_temp.refusal(format('select * from office.next_prompt(%L)', :'attempt')) as r;

-- A lost session
select pg_temp.wake('ann', 'user', pg_temp.about(:'task', '{"context": "Once more."}')) as w4 \gset
select pg_temp.look();
select prompt, engine_session, attempt_id from office.claim_runs(current_setting('testing.worker')::uuid, 9) where run_id = (pg_temp.run(:'w4')).id \gset again_
select is(:'again_engine_session'::text, 'e-1', 'N1: the next run resumes the engine session');
select is(:'again_prompt' like '# Why you were woken again%', true, 'C2: … and is told what is new');
select pg_temp.start(:'w4');
select * from office.next_prompt(:'again_attempt_id', fresh => true) \gset fresh_
select is(:'fresh_prompt' like '# Why you were woken' || E'\n' || '%# This run%', true, 'sc-X3, X5: a session that was lost is told all, as at first');
select is((select p.assembled_prompt from office.attempt_prompts as p where p.attempt_id = :'again_attempt_id'), :'fresh_prompt', 'C1: … which the attempt keeps');
select is((pg_temp.run(:'w4')).attempt_id, :'again_attempt_id'::uuid, 'sc-X3: … in the same attempt');
select results_eq(
  format($$ select v.detail ->> 'engine_session' from office.activity as v where v.kind = 'session_lost' and v.attempt_id = %L $$, :'again_attempt_id'),
  $$ values ('e-1') $$, 'sc-X3: … and it is noted'
);

-- Feedback
select 'r' || (pg_temp.run(:'w')).number as run, (pg_temp.run(:'w'))::text as before \gset
select results_eq(
  format($$ select f.number, f.wakeup_id from office.add_feedback(%L, 'Too long.') as f $$, :'run'), $$ values (1, null::uuid) $$, 'E3: feedback on a run'
);
select * from office.add_feedback(:'run', 'Shorter, please.', true) \gset more_
select is(:more_number, 2, 'E3: … in order');
select is(
  (select concat_ws('|', w.source, w.payload ->> 'context', w.task_id = pg_temp.task_id(:'task')) from office.wakeups as w where w.id = :'more_wakeup_id'),
  format('user|Feedback on %s: Shorter, please.|t', :'run'), 'E3: follow_up starts a run, linked by its wakeup'
);
select is((pg_temp.run(:'w'))::text, :'before', 'E3: the original is never edited');
select is((r).state || ' ' || ((r).detail ->> 'code'), 'PT422 invalid', 'E3: 4,000 characters') from pg_temp.refusal(format('select office.add_feedback(%L, repeat(''x'', 4001))', :'run')) as r;
select is((r).state, 'PT422', 'E3: … and not none') from pg_temp.refusal(format('select office.add_feedback(%L, '''')', :'run')) as r;
select is((select count(*)::integer from generate_series(3, 100) as n cross join lateral office.add_feedback(:'run', repeat('é', 3900 + n)) as f), 98, 'E3: a hundred entries');
select is((r).state || ' ' || ((r).detail ->> 'code'), 'PT422 invalid', 'E3: … and no more') from pg_temp.refusal(format('select office.add_feedback(%L, ''x'')', :'run')) as r;
select is((r).detail ->> 'code', 'not_found', 'E3: of a run that is there') from pg_temp.refusal($$ select office.add_feedback('r0', 'x') $$) as r;

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
