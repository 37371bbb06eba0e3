-- office_internal.carry_on_unseen: nothing merged is lost (Q5): what joined a run after its prompt was built is carried on by one follow-up
-- run, unless nobody wants it any more. sc-W4, sc-W8
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(37);

-- One follow-up carries all of it, in order, and no more than was not seen.

select pg_temp.scenario('follow-up', 'ann');
select pg_temp.wake('ann', payload => '{"context": "seen"}') as w1 \gset
select pg_temp.wake('ann', payload => '{"context": "seen too"}') as w2 \gset
select pg_temp.claim();
select testing.advance('1 second');
select pg_temp.wake('ann', payload => '{"context": "late"}') as w3 \gset
select testing.advance('1 second');
select pg_temp.wake('ann', 'self', '{"reason": "later"}') as w4 \gset
select pg_temp.look();
select is((pg_temp.run(:'w4')).id, (pg_temp.run(:'w1')).id, 'Q5: while it runs they are the live run''s');
select pg_temp.finish(:'w1');
select is(pg_temp.runs(), 'ann:user:event:finished/succeeded:2, ann:user:event:queued:2', 'Q5: one follow-up run carries all that was unseen');
select is(
  (select array_agg(concat_ws(' ', w.status, w.position, w.run_id = (pg_temp.run(:'w3')).id) order by w.requested_at, w.id = :'w2') from office.wakeups as w where w.id in (:'w1', :'w2', :'w3', :'w4')),
  array['finished 1 f', 'coalesced 2 f', 'claimed 1 t', 'coalesced 2 t'], 'Q5: … their run_id moves to it, in order'
);
select is((pg_temp.run(:'w3')).requested_at, (pg_temp.wakeup(:'w3')).requested_at, 'Q5: … asked for when the first of them was');
select is(pg_temp.claim(), 'ann:user', 'Q5: … and it is launched');
select pg_temp.finish(:'w3');
select is(pg_temp.claim(), '', 'Q5: … once');

-- A bursty one in the last moment
select pg_temp.scenario('all-seen', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select pg_temp.finish(:'w1');
select is(pg_temp.runs(), 'ann:user:event:finished/succeeded:1', 'Q5: without anything unseen nothing follows');

-- After a failure the retry shows it: no follow-up
select pg_temp.scenario('failure', 'ann');
select pg_temp.wake('ann', payload => '{"context": "early"}') as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann', payload => '{"context": "late"}') as w2 \gset
select pg_temp.look();
select pg_temp.fail(:'w1');
select is(pg_temp.runs(), 'ann:user:event:queued:2', 'Q5: after a failure the same run carries it');
select testing.advance('3 minutes');
select pg_temp.claim();
select is(
  (select position('early' in p.assembled_prompt) > 0 and position('late' in p.assembled_prompt) > 0 from office.attempt_prompts as p where p.attempt_id = pg_temp.attempt(:'w1')),
  true, 'Q5: … and its next prompt shows all'
);
select pg_temp.finish(:'w1');
select is(pg_temp.runs(), 'ann:user:event:finished/succeeded:2', 'Q5: … so nothing follows');

-- Queued again, and ended by a hand as if all were done: what its last attempt was not shown is carried on
select pg_temp.scenario('by-hand', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann') as w2 \gset
select pg_temp.look();
select pg_temp.fail(:'w1');
update office.runs set status = 'finished', outcome = 'succeeded' where id = (pg_temp.run(:'w1')).id;
select is(pg_temp.runs(), 'ann:user:event:finished/succeeded:1, ann:user:event:queued:1', 'Q5: a hand that ends a run that waits for its retry loses nothing');
select is((pg_temp.wakeup(:'w2')).run_id, (select r.id from office.runs as r where r.status = 'queued'), 'Q5: … what it was not shown is in a run of its own');
select testing.advance('3 minutes');
select pg_temp.claim();
select pg_temp.finish(:'w2');

-- Given up or blocked: what was not seen is not lost with it
select pg_temp.scenario('blocked', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann') as w2 \gset
select pg_temp.look();
select pg_temp.fail(:'w1', 'not logged in', 'configuration');
select is(pg_temp.runs(), 'ann:user:event:blocked:1, ann:user:event:queued:1', 'Q5: a blocked run''s unseen wakeup is carried on');

-- Interrupted: kept for the retry
select pg_temp.scenario('interrupted', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select pg_temp.start(:'w1');
select pg_temp.wake('ann') as w2 \gset
select pg_temp.look();
select office.expire_worker(current_setting('testing.worker')::uuid);
select is(pg_temp.runs(), 'ann:user:event:interrupted:2', 'Q5: an interrupted run keeps what was not seen for its retry');

-- Not when …

select pg_temp.scenario('stopped', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann') as w2 \gset
select pg_temp.look();
select office.stop('r' || (pg_temp.run(:'w1')).number);
select pg_temp.finish(:'w1');
select is(pg_temp.runs(), 'ann:user:event:cancelled/stopped:2', 'Q5: not when a person stopped the run');
select is((pg_temp.wakeup(:'w2')).status || ' ' || (pg_temp.wakeup(:'w2')).reason, 'cancelled stopped', 'Q5: … it is cancelled with that reason');

select pg_temp.scenario('task-closed', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select id as w1 from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as w2 \gset
select pg_temp.look();
select office.complete_task(:'task');
select pg_temp.finish(:'w1');
select is(pg_temp.runs(), 'ann:task_assigned:event:finished/succeeded:2', 'Q5: not when the task was closed');
select is((pg_temp.wakeup(:'w2')).status || ' ' || (pg_temp.wakeup(:'w2')).reason, 'cancelled task_terminal', 'Q5: … it is cancelled with that reason');
select is((select r.status || ' ' || r.result || coalesce(' ' || r.outcome, '') from office.result(:'w2') as r), 'cancelled task_terminal', 'Q10: … which office.result tells, not its run''s success');

select pg_temp.scenario('task-archived', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select id as w1 from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as w2 \gset
select pg_temp.look();
select office.delete_task(:'task');
select pg_temp.finish(:'w1');
select is((pg_temp.wakeup(:'w2')).status || ' ' || (pg_temp.wakeup(:'w2')).reason, 'cancelled task_not_found', 'Q5: not when the task was deleted');

select pg_temp.scenario('reassigned', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select id as w1 from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.wake('ann', 'reopened', pg_temp.about(:'task')) as w2 \gset
select pg_temp.look();
select office.assign_task(:'task', 'bob');
select pg_temp.finish(:'w1');
select is((pg_temp.wakeup(:'w2')).status || ' ' || (pg_temp.wakeup(:'w2')).reason, 'cancelled assignee_changed', 'Q5: not when the task was given to another');

select pg_temp.scenario('agent-stopped', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann') as w2 \gset
select pg_temp.look();
update office.agents set status = 'stopped' where id = (pg_temp.run(:'w1')).agent_id;
select pg_temp.finish(:'w1');
select is((pg_temp.wakeup(:'w2')).status || ' ' || (pg_temp.wakeup(:'w2')).reason, 'cancelled agent_stopped', 'Q5: not when the agent was stopped');

-- A mention on a closed task is not about its work.
select pg_temp.scenario('mentioned', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.look();
update office.runs set status = 'cancelled' where task_id = pg_temp.task_id(:'task');
select office.complete_task(:'task');
select office.add_comment(:'task', '@bob and @bob again') as comment \gset
select pg_temp.wake('bob', 'comment', pg_temp.about(:'task', jsonb_build_object('comment_id', :'comment'))) as w1 \gset
select is(pg_temp.claim(), 'bob:comment', 'Q13, sc-W13: a mention on a done task is launched');
select pg_temp.wake('bob', 'comment', pg_temp.about(:'task', jsonb_build_object('comment_id', :'comment'))) as w2 \gset
select pg_temp.look();
select pg_temp.finish(:'w1');
select is((pg_temp.run(:'w2')).status, 'queued', 'Q5: … and so is the next one, that came while it ran');

-- Periodic ones need none, beside one that does
select pg_temp.scenario('periodic', 'ann');
select pg_temp.wake('ann', 'routine', '{"routine_id": "a0000000-0000-4000-8000-000000000001", "fire": "manual"}') as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', '{"routine_id": "a0000000-0000-4000-8000-000000000001"}') as tick \gset
select pg_temp.wake('ann', 'routine', '{"routine_id": "a0000000-0000-4000-8000-000000000001", "fire": "webhook"}') as event \gset
select pg_temp.look();
select pg_temp.finish(:'w1');
select is(pg_temp.runs(), 'ann:routine:event:finished/succeeded:2, ann:routine:event:queued:1', 'Q5: of a tick and an event only the event is carried on');
select is((pg_temp.run(:'tick')).id || ' ' || (pg_temp.wakeup(:'tick')).status, (pg_temp.run(:'w1')).id || ' coalesced', 'Q5: … the tick stays where it was');

-- What ended before it was launched has shown nothing, and nothing came too late for it: no follow-up of a follow-up.
select pg_temp.scenario('never-launched', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select id as w1 from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.fail(:'w1');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as w2 \gset
select pg_temp.look();
update office.runs set status = 'finished', outcome = 'checkout_lost' where id = (pg_temp.run(:'w1')).id;
select is(pg_temp.runs(), 'ann:task_assigned:event:finished/checkout_lost:2', 'Q5, Q13: a retry that ends before its launch leaves no follow-up');

-- The one in sight of two clocks: joined in the very instant of the prompt is joined after it.
select pg_temp.scenario('instant', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select is((select a.prompt_built_at from office.attempts as a where a.id = pg_temp.attempt(:'w1')), office.now(), 'Q5: the prompt has its time');
select is((select a.shown_wakeups from office.attempts as a where a.id = pg_temp.attempt(:'w1')), 1, 'Q5: … and says up to where it shows');
select pg_temp.wake('ann') as w2 \gset
select pg_temp.look();
select pg_temp.finish(:'w1');
select is((pg_temp.run(:'w2')).status, 'queued', 'Q5: what joins in the instant of the prompt is unseen: places decide, not clocks');

select pg_temp.look();
-- Each that came too late is judged by whom it addresses, not by the first of them: a task that is done wants no reviewer any more, and
-- whoever was mentioned on it is still heard.

select pg_temp.scenario('each-its-own', 'ann', 'bob');
select pg_temp.task('Reviewed', 'bob') as task \gset
select office.add_comment(:'task', 'for ann') as comment \gset
select pg_temp.claim();
select id as bobs from office.wakeups where task_id = pg_temp.task_id(:'task') and source = 'task_assigned' \gset
select pg_temp.start(:'bobs');
select pg_temp.finish(:'bobs');
select pg_temp.wake('ann', 'comment', pg_temp.about(:'task', jsonb_build_object('comment_id', :'comment'::uuid))) as w1 \gset
select pg_temp.claim();
insert into office.task_participants (workspace_id, task_id, agent_id, role)
select t.workspace_id, t.id, a.id, 'reviewer'
from office.tasks as t join office.agents as a on a.workspace_id = t.workspace_id and a.name = 'ann' where t.id = pg_temp.task_id(:'task');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as reviewing \gset
delete from office.task_participants where task_id = pg_temp.task_id(:'task');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as mentioned \gset
select pg_temp.look();
select results_eq(
  format($$ select addresses from office.wakeups where id in (%L, %L) order by position $$, :'reviewing', :'mentioned'),
  array['reviewer', 'mentioned'], 'Q2: the first addresses a reviewer, the second whoever is mentioned'
);
select office.move_task(:'task', 'done');
select pg_temp.look();
select pg_temp.finish(:'w1');
select is(
  (pg_temp.wakeup(:'reviewing')).status || ' ' || (pg_temp.wakeup(:'reviewing')).reason, 'cancelled task_terminal',
  'Q5: what addresses a reviewer of a done task is cancelled'
);
select is((pg_temp.run(:'mentioned')).status, 'queued', 'Q5: … and what comes after it and mentions somebody is carried on all the same');
select is((pg_temp.wakeup(:'mentioned')).position, 1, 'Q5: … as the first of its run');
select is(
  (select array_agg(w.position order by w.position) from office.wakeups as w where w.run_id = (pg_temp.run(:'w1')).id), array[1, 2],
  'Q5: what stays is in order, without a gap'
);
select is((pg_temp.run(:'w1')).coalesced_count, 2, 'Q5: … and counted');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
