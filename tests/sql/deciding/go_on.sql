-- D9, S3, D7: answered runs go on: with the program that lives, or as the same attempt, before any new run, on the slot they hold. sc-D4.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql
select plan(71);

-- What the heartbeat says to the scenario's worker.
create function pg_temp.beat(variadic wakeups uuid[] default '{}')
returns text
language sql
as $$
  select coalesce(string_agg(concat_ws(' ', h.instruction, h.detail #>> '{answers,0,choice}'), ', '), '')
  from office.heartbeat(current_setting('testing.worker')::uuid, array(select pg_temp.attempt(u) from unnest(wakeups) as u)) as h
$$;
create function pg_temp.launches(max_runs integer default 50)
returns table (agent text, resume boolean, attempt_number integer, attempt_id uuid, prompt text, answer jsonb, environment jsonb, token text, engine_session text)
language sql
as $$
  select c.agent, c.resume, c.attempt_number, c.attempt_id, c.prompt, c.answer, c.environment, c.token, c.engine_session
  from office.claim_runs(current_setting('testing.worker')::uuid, max_runs) as c
  where c.run_id is not null
$$;

-- A live program

select pg_temp.scenario('live', 'ann');
select pg_temp.running('ann') as w \gset
select (pg_temp.ask(:'w')).decision as d \gset
select is(pg_temp.beat(:'w'), 'waiting', 'D9, S6: nothing to tell yet, but that no minute of it counts');
select office.answer(:'d', 'no');
select is(pg_temp.stands(:'w'), 'running, attempt 1 lives', 'D9: a live program goes on, with no re-queue');
select is(pg_temp.beat(:'w'), 'answered no', 'D9: the heartbeat tells');
select is(pg_temp.beat(:'w'), 'answered no', 'D9: … until it was told');
select pg_temp.ask(:'w');
select is(pg_temp.beat(:'w'), '', 'D9: … by asking again');
select is(pg_temp.finish(:'w'), 'succeeded', 'D9: told, it ends as any other');

-- One that ended before it was told goes on all the same.
select pg_temp.scenario('untold', 'ann');
select pg_temp.running('ann') as w \gset
select (pg_temp.ask(:'w')).decision as d \gset
select office.answer(:'d', 'no');
select is(pg_temp.leave(:'w'), 'queued', 'D9: it ended well before it was told → it goes on with the answer');
select is(pg_temp.leave(:'w'), 'queued', 'Q16: … said again it changes nothing');
select is((select l.resume || ' ' || l.attempt_number || ' ' || (l.answer #>> '{0,choice}') from pg_temp.launches() as l), 'true 1 no', 'S3: … as the same attempt');
select pg_temp.start(:'w');
select is(pg_temp.finish(:'w'), 'succeeded', 'S3: … and ends when it was told');
select pg_temp.scenario('untold-failure', 'ann');
select pg_temp.running('ann') as w \gset
select (pg_temp.ask(:'w')).decision as d \gset
select office.answer(:'d', 'no');
select is(pg_temp.fail(:'w'), 'queued', 'Q18: one that failed after an answer is tried again');
select is(pg_temp.stands(:'w') || ' ' || (pg_temp.run(:'w')).parked, 'queued, attempt 1 failed retry', 'Q18: … anew, after its back-off');

-- The same attempt

select pg_temp.scenario('same', 'ann', 'bob');
select office.set_setting('max_concurrent_runs', '1', 'same');
select pg_temp.look();
select pg_temp.task('One', 'ann') as t \gset
select pg_temp.claim();
select r.id as run_id, r.attempt_id as a from office.runs as r where r.task_id = pg_temp.task_id(:'t') \gset
select w.id as w from office.wakeups as w where w.run_id = :'run_id' \gset
select pg_temp.start(:'w');
select (pg_temp.ask(:'w', 'Go?')).decision as d1 \gset
select (pg_temp.ask(:'w', 'Really?')).decision as d2 \gset
select is(pg_temp.leave(:'w'), 'waiting', 'D9: a program that ends while something is open leaves its run waiting');
select is(pg_temp.stands(:'w'), 'waiting, attempt 1 left', 'D9: … its attempt lives without a program');
select pg_temp.start(:'w');
select is(pg_temp.stands(:'w'), 'waiting, attempt 1 left', 'Q16: … which a late word that it has started does not bring back');
select pg_temp.wake('bob') as before \gset
select is(pg_temp.claim(), '', 'S1: a waiting run holds its slot');
select is((select count(*)::integer from office.checkouts as c where c.checkout_run_id = :'run_id'), 1, 'S3, T10: … and its task');
select office.answer(:'d1', 'yes', 'carefully');
select is(pg_temp.stands(:'w'), 'waiting, attempt 1 left', 'D9: it waits while any is open');
select testing.advance('3 days');
select office.answer(:'d2', 'no');
select is(pg_temp.stands(:'w'), 'queued, attempt 1 left', 'D9: … and is queued again when none is, however long it took');
select is((select l.active from office_internal.lanes as l join office.agents as g on g.id = l.agent_id join office.workspaces as s on s.id = g.workspace_id where g.name = 'ann' and s.name = 'same'), 1, 'S1: … on the slot that it holds');
select is_empty('select * from office.audit()', 'Q26: the books balance');
-- A hold of new runs holds none of these: budget and cooldown are not asked, the slots are full.
update office_internal.lanes set cooling_until = office.now() + interval '1 hour' where agent_id = (select g.id from office.agents as g join office.workspaces as s on s.id = g.workspace_id where g.name = 'ann' and s.name = 'same');
create temporary table resumed as select * from pg_temp.launches();
select results_eq(
  $$ select agent, resume, attempt_number, attempt_id, jsonb_array_length(answer) from resumed $$,
  format($$ values ('ann', true, 1, %L::uuid, 2) $$, :'a'), 'S3, sc-D4: the same attempt goes on, before any new run, past a cooldown, with all answers'
);
select results_eq(
  $$ select x.a ->> 'status', x.a ->> 'choice', x.a ->> 'text', x.a ->> 'note', x.a ->> 'prompt' from resumed, jsonb_array_elements(answer) as x (a) $$,
  $$ values ('answered', 'yes', 'Yes', 'carefully', 'Go?'), ('answered', 'no', 'No', null, 'Really?') $$, 'S3: the launch has the answers'
);
select is((select environment ->> 'OFFICE_ANSWERS' from resumed)::jsonb, (select answer from resumed), 'S3: … in the environment of a plain program too');
select is((select strpos(prompt, p.assembled_prompt) = 1 and prompt like '%carefully%Really?%The answer: no.%' from resumed, office.attempt_prompts as p where p.attempt_id = :'a'), true, 'D2: a program without a session is told all once more, and the answers');
select is((select prompt from resumed), (select p.assembled_prompt from office.attempt_prompts as p where p.attempt_id = :'a'), 'C1: … which is kept as it was told');
select is((select count(*)::integer from office_internal.attempt_of_token((select token from resumed))), 1, 'X2: with a fresh token');
select is(pg_temp.stands(:'w') || ' ' || (select concat_ws(' ', r.answered_at, (r.worker_id = current_setting('testing.worker')::uuid)::text) from office.runs as r where r.id = :'run_id'), 'claimed, attempt 1 left true', 'S3: claimed, and answered no more');
select is(pg_temp.claim(), '', 'S3: no second slot');
select is(pg_temp.start(:'w'), 'running', 'S3: it starts');
select is(pg_temp.stands(:'w'), 'running, attempt 1 lives', 'S3: … with a program again');
select is(pg_temp.beat(:'w'), '', 'D9: … that was told everything');
select is(pg_temp.finish(:'w'), 'succeeded', 'S3: … and ends');
select is(pg_temp.claim(), 'bob:user', 'S3: the new run comes after');
select is((select count(*)::integer from office.attempts as a where a.run_id = :'run_id'), 1, 'S3: one attempt in all');
drop table resumed;

-- An engine that keeps its session is told the answer alone.
select pg_temp.scenario('engine', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select office.start_attempt(pg_temp.attempt(:'w'), engine_session => 'session-7');
select (pg_temp.ask(:'w', 'Which way?', expires_after => '1 hour')).decision as d \gset
select pg_temp.leave(:'w');
select testing.advance('1 hour');
select office.maintain();
select is(pg_temp.stands(:'w'), 'queued, attempt 1 left', 'D7: its time passed, go_on: it goes on');
select is(
  (select l.engine_session || ' ' || (l.answer #>> '{0,status}') || ' ' || (l.prompt like '# What you asked%Nobody answered: it expired. That is not a "no".%') from pg_temp.launches() as l),
  'session-7 expired true', 'D2, D7: an engine session is resumed with the answer as its prompt; expired is told as such'
);

-- Fail when nobody answers
select pg_temp.scenario('fails', 'ann');
select pg_temp.running('ann') as w \gset
select pg_temp.ask(:'w', expires_after => '1 hour', on_expire => 'fail');
select testing.advance('1 hour');
select office.maintain();
select is(pg_temp.stands(:'w') || ' ' || (pg_temp.run(:'w')).retry_count, 'queued, attempt 1 failed 1', 'D7: fail: its attempt has failed, with the ordinary retries');
select is(pg_temp.beat(:'w'), 'lost', 'D7: … and its program is stopped');

-- Told late: the program dies, or is stopped by a pause, before it has heard what was decided

select pg_temp.scenario('died', 'ann', 'bob');
select pg_temp.running('ann') as w \gset
select pg_temp.running('bob') as told \gset
select (pg_temp.ask(:'w')).decision as d \gset
select (pg_temp.ask(:'told')).decision as d2 \gset
select office.answer(:'d', 'no'), office.answer(:'d2', 'no');
select pg_temp.ask(:'told');
select office.expire_worker(current_setting('testing.worker')::uuid);
select is(pg_temp.stands(:'w'), 'queued, attempt 1 left', 'D9, P3: its worker died before it was told: the answer is not lost, it goes on with it. sc-D8');
select is(pg_temp.stands(:'told'), 'interrupted, attempt 1 interrupted', 'P3: … told, it was interrupted as any other');
select set_config('testing.worker', w.worker_id::text, true) from office.register_worker('box', max_runs => 100, workspace => 'died') as w;
select office.confirm_cleanup(a.attempt_id) from office.abandoned_attempts('box') as a;
select is((select l.agent || l.resume || l.attempt_number || (l.answer #>> '{0,choice}') from pg_temp.launches() as l), 'anntrue1no', 'D2, sc-D8: … as the same attempt');
select pg_temp.start(:'w');
select is(pg_temp.finish(:'w'), 'succeeded', 'S3: … and ends when it was told');

select pg_temp.scenario('paused', 'ann', 'bob', 'cat', 'dan');
select pg_temp.running('ann') as w \gset
select pg_temp.running('bob') as w2 \gset
select pg_temp.running('cat') as w3 \gset
select pg_temp.running('dan') as w4 \gset
select (pg_temp.ask(:'w')).decision as d \gset
select (pg_temp.ask(:'w2')).decision as d2 \gset
select (pg_temp.ask(:'w3')).decision as d3 \gset
select (pg_temp.ask(:'w4')).decision as d4 \gset
select office.answer(:'d', 'no'), office.answer(:'d2', 'no');
select office.pause('workspace:paused');
select is(pg_temp.stands(:'w3'), 'waiting, attempt 1 lives', 'P1: a waiting run stays waiting through a pause, with its program');
select office.answer(:'d3', 'no'), office.answer(:'d4', 'no');
select is(pg_temp.stands(:'w3') || ' ' || (pg_temp.run(:'w3')).stop_reason, 'stopping, attempt 1 lives paused', 'P1: what is answered meanwhile does not go on before the pause is over');
select is(pg_temp.finish(:'w'), null, 'P1, D9: paused before it was told, it ends well …');
select is(pg_temp.fail(:'w2', 'ended by SIGINT'), 'queued', 'P1, D9: … or not');
select pg_temp.leave(:'w3');
select office.expire_worker(current_setting('testing.worker')::uuid);
select results_eq(
  format('select pg_temp.stands(u) || (pg_temp.run(u)).retry_count from unnest(%L::uuid[]) as u', array[:'w', :'w2', :'w3', :'w4']),
  $$ select 'queued, attempt 1 left0' from generate_series(1, 4) $$, 'P1, D9: … or with its worker: each goes on with its answer'
);
select set_config('testing.worker', w.worker_id::text, true) from office.register_worker('box', max_runs => 100, workspace => 'paused') as w;
select office.confirm_cleanup(a.attempt_id) from office.abandoned_attempts('box') as a;
select is((select count(*)::integer from pg_temp.launches()), 0, 'P1: … not while the pause lasts');
select office.resume('workspace:paused');
select is((select string_agg(l.agent || l.attempt_number || (l.answer #>> '{0,choice}'), ', ') from pg_temp.launches() as l), 'ann1no, bob1no, cat1no, dan1no', 'P1, S3: … and after it as the same attempt');

-- An agent's pause does the same, and a stop ends it all the same.
select pg_temp.scenario('held', 'ann', 'bob');
select pg_temp.running('ann') as w \gset
select pg_temp.running('bob') as w2 \gset
select (pg_temp.ask(:'w')).decision as d \gset
select (pg_temp.ask(:'w2')).decision as d2 \gset
select office.pause('agent:held/ann');
select pg_temp.look();
select office.answer(:'d', 'yes'), office.answer(:'d2', 'yes');
select is(pg_temp.stands(:'w') || ', ' || pg_temp.stands(:'w2'), 'stopping, attempt 1 lives, running, attempt 1 lives', 'P1: a paused agent''s answered run stops, others go on');
select office.stop('r' || (pg_temp.run(:'w')).number);
select pg_temp.finish(:'w');
select is(pg_temp.stands(:'w'), 'cancelled/stopped, attempt 1 stopped', 'P1, P2: a stop overrides the pause: nothing is left to go on');
select office.pause('everything');
select pg_temp.finish(:'w2');
select is(pg_temp.stands(:'w2'), 'queued, attempt 1 left', 'P1, D9: a pause of everything is no other');
select office.resume('everything');

-- The guards that are left

select pg_temp.scenario('guards', 'ann');
select pg_temp.running('ann') as w \gset
select (pg_temp.ask(:'w')).decision as d \gset
select pg_temp.leave(:'w');
select office.pause('agent:guards/ann');
select pg_temp.look();
select is(pg_temp.stands(:'w'), 'waiting, attempt 1 left', 'P1: a waiting run stays waiting through a pause');
select office.answer(:'d', 'yes');
select is((select count(*)::integer from pg_temp.launches()), 0, 'S3: a paused agent''s answered run waits');
select results_eq(format($$ select w.reason like 'ann is paused%%' from office.waiting_for(%L) as w $$, (pg_temp.run(:'w')).id), $$ values (true) $$, 'S5: … and says so, and nothing of slots');
select office.resume('agent:guards/ann');
select office.pause('workspace:guards');
select is((select count(*)::integer from pg_temp.launches()), 0, 'S3: so does a paused workspace''s');
select office.resume('workspace:guards');
select is((select count(*)::integer from pg_temp.launches()), 1, 'S3: … until it is resumed');

-- Lost between the claim and the start it goes on once more.
select is(office.give_back(current_setting('testing.worker')::uuid, '{}'), 1, 'Q22: a launch that was lost on the way is given back');
select is(pg_temp.stands(:'w'), 'queued, attempt 1 left', 'S3: … to go on');
select is((select l.answer #>> '{0,choice}' from pg_temp.launches() as l), 'yes', 'S3: … with the answer, once more');
select is((select count(*)::integer from regexp_matches((select p.assembled_prompt from office.attempt_prompts as p where p.attempt_id = pg_temp.attempt(:'w')), '# What you asked', 'g')), 1, 'C1: … which it is told once');
select office.pause('workspace:guards');
select is(pg_temp.stands(:'w'), 'queued, attempt 1 left', 'P1: a pause before it starts: it goes on after the pause');
select office.resume('workspace:guards');
select pg_temp.launches();
select office.expire_worker(current_setting('testing.worker')::uuid);
select is(pg_temp.stands(:'w'), 'queued, attempt 1 left', 'Q22: its worker died before it started: it goes on with another');
select set_config('testing.worker', w.worker_id::text, true) from office.register_worker('box', max_runs => 100, workspace => 'guards') as w;
select is((select count(*)::integer from pg_temp.launches()), 0, 'K15: … once what was launched is cleaned up after, by who lives on that host');
select is((select w.reason from office.waiting_for((pg_temp.run(:'w')).id) as w), 'its last launch is being cleaned up', 'S5: … and it says so');
select office.confirm_cleanup(a.attempt_id) from office.abandoned_attempts('box') as a;
select is((select l.resume from pg_temp.launches() as l), true, 'K15: … then');
select pg_temp.start(:'w');
select is(pg_temp.finish(:'w'), 'succeeded', 'S3: … and it ends');

-- Stale: its task went elsewhere while it waited to go on.
select pg_temp.scenario('stale', 'ann', 'bob');
select pg_temp.task('Two', 'ann') as t \gset
select pg_temp.claim();
select w.id as w from office.wakeups as w where w.task_id = pg_temp.task_id(:'t') \gset
select pg_temp.start(:'w');
select (pg_temp.ask(:'w')).decision as d \gset
select pg_temp.leave(:'w');
select office.answer(:'d', 'yes');
update office.tasks set assignee_agent_id = (select g.id from office.agents as g join office.workspaces as s on s.id = g.workspace_id where g.name = 'bob' and s.name = 'stale') where id = pg_temp.task_id(:'t');
delete from office_internal.signals as s using office.workspaces as k where k.id = s.workspace_id and k.name = 'stale' and s.kind = 'task_unassigned';
select is(pg_temp.claim(), 'bob:task_assigned', 'S3: one whose task went elsewhere does not go on');
select is(pg_temp.stands(:'w'), 'cancelled/assignee_changed, attempt 1 cancelled', 'S3: … it is cancelled, with its attempt');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
