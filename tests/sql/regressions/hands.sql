-- What a hand in psql could do once: change a run that had ended, claim, write its way past a gate, move things between workspaces.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql

select plan(48);

select pg_temp.scenario('hands', 'ann', 'bob');
select pg_temp.wake('ann') as ended \gset
select pg_temp.claim();
select pg_temp.finish(:'ended');
select pg_temp.wake('bob') as queued \gset
select pg_temp.look();
select is(
  (pg_temp.refusal(format('update office.runs set outcome = ''checkout_lost'' where id = %L', (pg_temp.run(:'ended')).id))).state, 'PT409',
  'Q9: an ended run changes no more'
);
select is(
  (pg_temp.refusal(format(
    'update office.runs set status = ''claimed'', attempt_id = %L where id = %L', pg_temp.attempt(:'ended'), (pg_temp.run(:'queued')).id
  ))).message,
  format('r%s cannot be claimed by hand.', (pg_temp.run(:'queued')).number), 'Q11: nothing but the claim leads to a launch, with whatever attempt'
);

-- Another workspace: each thing stays in its own

select office.create_workspace('elsewhere');
select office.create_project('site', workspace => 'elsewhere');
select office.create_agent('cat', workspace => 'elsewhere');
select office.create_profile('fast', '{"command": ["/bin/true"]}', workspace => 'elsewhere');
select pg_temp.task('a task') as task \gset
create function pg_temp.elsewhere() returns uuid language sql as $$ select w.id from office.workspaces as w where w.name = 'elsewhere' $$;
select is((pg_temp.refusal(format(c.change, pg_temp.elsewhere()))).detail ->> 'field', c.field, format('A10: %s', c.field))
from (values
  (format('update office.tasks set workspace_id = %%L where id = %L', pg_temp.task_id(:'task')), 'workspace_id'),
  (format('update office.agents set workspace_id = %%L where id = %L', (pg_temp.run(:'ended')).agent_id), 'workspace_id'),
  (format('update office.tasks set project_id = (select id from office.projects where workspace_id = %%L) where id = %L', pg_temp.task_id(:'task')), 'project'),
  (format('update office.agents set reports_to = (select id from office.agents where workspace_id = %%L) where id = %L', (pg_temp.run(:'ended')).agent_id), 'reports_to'),
  (format('update office.agents set profile_id = (select id from office.profiles where workspace_id = %%L) where id = %L', (pg_temp.run(:'ended')).agent_id), 'profile')
) as c (change, field);

-- carry_out: one change that somebody's trigger refuses holds up no other (A6)

select pg_temp.scenario('carried', 'ann', 'bob');
select pg_temp.task('stubborn', 'ann') as stubborn \gset
select pg_temp.task('willing', 'bob') as willing \gset
create function pg_temp.no() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$;
create trigger no before update on office.tasks for each row when (old.title = 'stubborn') execute function pg_temp.no();
select pg_temp.claim();
select office.start_attempt(a.id) from office.attempts as a where a.ended_at is null;
select is(office.carry_out(), 2, 'A6: every change is worked off');
select is((select t.state from office.tasks as t where t.id = pg_temp.task_id(:'willing')), 'in_progress', 'A6: … the one that could be');
select is(
  (select v.detail ->> 'reason' from office.activity as v where v.kind = 'change_dropped' and v.task_id = pg_temp.task_id(:'stubborn')),
  'not this one', 'A6: … the other is dropped, with why'
);
drop trigger no on office.tasks;

-- A large payload is not replaced by an older one (X1)

select pg_temp.scenario('payload', 'ann');
select pg_temp.wake('ann', payload => '{"context": "small"}') as small \gset
select pg_temp.wake('ann', payload => jsonb_build_object('context', repeat('x', 70000)));
select is(
  (select length(c.environment ->> 'OFFICE_WAKE_PAYLOAD') > 70000 from office.claim_runs(current_setting('testing.worker')::uuid) as c where c.run_id is not null),
  true, 'X1: the payload is the latest one, whatever its size'
);

-- References: any noun by its uuid (I2); an agent's story (I9)

select is((select k.kind from office_internal.read_ref((pg_temp.run(:'small')).agent_id::text) as k), 'agent', 'I2: an agent by uuid');
select is((select k.kind from office_internal.read_ref(pg_temp.task_id(:'task')::text) as k), 'task', 'I2: a task by uuid');
select is((select k.kind from office_internal.read_ref(:'small') as k), 'wakeup', 'I2: a wakeup by uuid');
select is((pg_temp.refusal('select * from office.why(''payload/an'')')).hint, 'Did you mean "ann"?', 'I2: the nearest name');
select isnt_empty('select * from office.why(''payload/ann'')', 'I9: an agent has a story');

-- skip_unchanged_wakeups (Q13.4)

select pg_temp.scenario('unchanged', 'ann');
select office.update_agent('unchanged/ann', '{"skip_unchanged_wakeups": true}');
select pg_temp.wake('ann', 'routine', '{"routine_id": "a0000000-0000-4000-8000-000000000001"}') as first \gset
select pg_temp.claim();
select testing.advance('1 second');
select pg_temp.finish(:'first');
select testing.advance('1 minute');
select pg_temp.wake('ann', 'routine', '{"routine_id": "a0000000-0000-4000-8000-000000000001"}') as second \gset
select pg_temp.claim();
select is((pg_temp.run(:'second')).result, 'idle_skipped', 'Q13: nothing changed since its last run: skipped');

-- A worker whose row alone was ended leaves no run behind (Q22)

select pg_temp.scenario('orphans', 'ann', 'bob');
select pg_temp.wake('ann') as started \gset
select pg_temp.wake('bob') as claimed \gset
select pg_temp.claim();
select pg_temp.start(:'started');
select office.maintain();
update office.workers set ended_at = office.now(), end_reason = 'expired' where id = current_setting('testing.worker')::uuid;
select testing.advance('61 seconds');
select is((select m.done >= 2 from office.maintain() as m where m.piece = 'leases'), true, 'Q22: the sweep settles runs of a worker that a hand has ended');
select is(
  (pg_temp.run(:'started')).status || ' ' || (pg_temp.run(:'claimed')).status, 'interrupted queued', 'Q22: … as those of any other'
);

-- A retry that a hand has moved: the run stayed parked until the old time, and nothing said why

select pg_temp.scenario('retries', 'ann');
select pg_temp.wake('ann') as moved \gset
select pg_temp.claim();
select pg_temp.fail(:'moved');
update office.runs set scheduled_retry_at = null where id = (pg_temp.run(:'moved')).id;
select is((pg_temp.run(:'moved')).parked, null, 'Q18: a retry without a time is due');
select is(pg_temp.claim(), 'ann:user', 'Q18: … and the next claim finds it');
select pg_temp.fail(:'moved');
update office.runs set scheduled_retry_at = office.now() + interval '1 second' where id = (pg_temp.run(:'moved')).id;
select is((pg_temp.run(:'moved')).due_at, office.now() + interval '1 second', 'Q18: one that is brought forward is due then');
select testing.advance('1 second');
select is(pg_temp.claim(), 'ann:user', 'Q18: … and the next claim finds it');
select is((select count(*)::integer from office.audit()), 0, 'Q26: the books are in order');

-- A run that a hand has interrupted asks what becomes of it, as any other does (P3, Q17)

select pg_temp.scenario('interrupted', 'ann');
select pg_temp.wake('ann') as broken \gset
select pg_temp.claim();
select pg_temp.start(:'broken');
update office.runs set status = 'interrupted' where id = (pg_temp.run(:'broken')).id;
select is(
  (select string_agg(d.kind || ' ' || d.status, ', ') from office.decisions as d where d.run_id = (pg_temp.run(:'broken')).id),
  'interrupted pending', 'Q17: a run that a hand has interrupted asks a person, once'
);
select is(
  (pg_temp.refusal(format('update office.runs set status = ''running'' where id = %L', (pg_temp.run(:'broken')).id))).message,
  format('r%s cannot be taken back by hand.', (pg_temp.run(:'broken')).number), 'Q9: what was interrupted runs again by a new attempt only'
);
select office.answer('d' || d.number, 'retry') from office.decisions as d where d.run_id = (pg_temp.run(:'broken')).id;
select is(pg_temp.claim(), 'ann:user', 'P4: … whose answer tries it again');
select is((select count(*)::integer from office.audit()), 0, 'Q26: the books are in order');

-- What holds a run back holds it back, also when a hand takes it out; whom it runs, and about what, is fixed

select pg_temp.scenario('taken-out', 'ann', 'bob');
select pg_temp.wake('ann', 'self', '{"reason": "a look around"}') as w \gset
select pg_temp.claim();
select pg_temp.start(:'w');
select pg_temp.fail(:'w');
update office.runs set parked = null, due_at = null where id = (pg_temp.run(:'w')).id;
select is((pg_temp.run(:'w')).parked || pg_temp.claim(), 'retry', 'A1, Q12: a retry that is not due is not claimed, whatever a hand wrote');
update office.runs set parked = 'blocker', due_at = null, scheduled_retry_at = null where id = (pg_temp.run(:'w')).id;
select is(pg_temp.claim(), 'ann:self', 'A15: … and nothing is parked for what is not there');
-- Nobody waits for an answer who has not asked.
select pg_temp.start(:'w');
select is((pg_temp.refusal(format('update office.runs set status = ''waiting'' where id = %L', (pg_temp.run(:'w')).id))).state, 'PT409', 'D9: by hand no run waits for nothing');
select pg_temp.finish(:'w');
select pg_temp.wake('bob') as bobs \gset
select pg_temp.look();
select is((pg_temp.refusal(format('update office.runs set answered_at = now() where id = %L', (pg_temp.run(:'bobs')).id))).state, 'PT409', 'S3: … nor goes on with an answer that there is not');
select is(pg_temp.claim(), 'bob:user', 'Q11: … and is claimed as it was');
select pg_temp.start(:'bobs');
select pg_temp.ask(:'bobs');
select pg_temp.leave(:'bobs');
update office.decisions set status = 'answered', choice = 'yes' where run_id = (pg_temp.run(:'bobs')).id;
select is(pg_temp.claim(), 'bob:user', 'A1, D9: … while an answer that a hand has written lets a run go on');
select pg_temp.start(:'bobs'), pg_temp.finish(:'bobs');
-- What is given back to the queue by hand waits for what its task waits for.
select pg_temp.task('before it') as before \gset
select pg_temp.task('the task', 'bob') as blocked \gset
select pg_temp.claim();
insert into office.task_blockers (workspace_id, task_id, blocker_task_id) select t.workspace_id, t.id, pg_temp.task_id(:'before') from office.tasks as t where t.id = pg_temp.task_id(:'blocked');
select pg_temp.look();
update office.runs set status = 'queued' where task_id = pg_temp.task_id(:'blocked') and status = 'claimed';
select is((select r.parked from office.runs as r where r.task_id = pg_temp.task_id(:'blocked')) || pg_temp.claim(), 'blocker', 'A1, Q12: a run that a hand gives back is held like any other');
select is(
  (pg_temp.refusal(format($$ update office.runs set agent_id = (select id from office.agents where name = 'bob' limit 1) where id = %L $$, (pg_temp.run(:'w')).id))).state,
  'PT409', 'Q4: a run keeps its agent'
);
select is(
  (pg_temp.refusal(format('update office.runs set task_id = %L where id = %L', pg_temp.task_id(:'task'), (pg_temp.run(:'w')).id))).state,
  'PT409', 'Q4: … and its scope'
);
select is((select count(*)::integer from office.audit()), 0, 'Q26: the books are in order');

-- An attempt that a hand has ended: its run kept its slot and its task for as long as its worker lived, and nobody could end it (Q17)

select pg_temp.scenario('ended-attempt', 'ann', 'bob', 'cat');
select pg_temp.wake('ann') as anns, pg_temp.wake('bob') as bobs, pg_temp.wake('cat') as cats \gset
select pg_temp.claim();
select pg_temp.start(:'anns'), pg_temp.start(:'bobs');
update office.attempts as a
set ended_at = office.now(), outcome = v.outcome
from (values (pg_temp.attempt(:'anns'), 'succeeded'), (pg_temp.attempt(:'bobs'), 'interrupted'), (pg_temp.attempt(:'cats'), 'released')) as v (id, outcome)
where a.id = v.id;
select is(
  concat_ws(' ', (pg_temp.run(:'anns')).result, (pg_temp.run(:'bobs')).result, (pg_temp.run(:'cats')).result), 'succeeded interrupted queued',
  'Q17: an attempt that a hand has ended ends its run the same way'
);
select is(pg_temp.claim(), 'cat:user', 'Q17: … and what was released is claimed anew');
select is((select count(*)::integer from office.audit()), 0, 'Q26: the books are in order');

-- What is given back in an error is one line, however long it was (I3)

select is(
  (select length(x.message) < 600 and x.message !~ E'\n' and length(x.detail ->> 'given') <= 500 from pg_temp.refusal(
    format('select * from office.wake(%L)', repeat(E'nobody\n', 10000))
  ) as x), true, 'I3: a refusal is one line'
);
select is(
  (pg_temp.refusal(format('update office.runs set status = ''running'' where id = %L', (pg_temp.run(:'ended')).id))).hint, 'finished is final.',
  'Q9: what has finished goes nowhere'
);

-- What a run waits for, and when it was asked for

select pg_temp.wake('ann') as waits \gset
select pg_temp.look();
select is((pg_temp.refusal(format('update office.runs set %s where id = %L', c.change, (pg_temp.run(:'waits')).id))).detail ->> 'field', c.field, c.rule)
from (values
  ('parked = ''nonsense'', due_at = now()', 'parked', 'Q12: held back for a reason that there is'),
  ('due_at = now()', 'due_at', 'Q12: … and until a time only with one'),
  ('requested_at = ''-infinity''', 'requested_at', 'Q2: asked for at some time'),
  ('executor_id = office.uuid7()', 'executor_id', 'X7: launched with an executor that there is')
) as c (change, field, rule);
update office.runs set parked = 'resource', requested_at = now() - interval '1 day' where id = (pg_temp.run(:'waits')).id;
select is(pg_temp.claim(), 'ann:user', 'A15: one that a hand has parked for nothing goes on');

select * from finish();
rollback;
