-- office_internal.run_holds and park_runs: what takes a queued run out of its lane by itself (Q12): blockers and snooze hold back only what
-- starts work; and office.waiting_for, which explains by the same (S5).
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(33);

create function pg_temp.hold(wakeup uuid)
returns text
language sql
as $$ select (pg_temp.run(wakeup)).status || ':' || coalesce((pg_temp.run(wakeup)).parked, 'free') $$;
create function pg_temp.reasons(wakeup uuid)
returns text
language sql
as $$ select coalesce(string_agg(x.reason || coalesce(' → ' || x.lift, ''), '; ' order by x.ordinality), '') from office.waiting_for((pg_temp.run(wakeup)).id) with ordinality as x $$;

-- Blockers

select pg_temp.scenario('blockers', 'ann');
select pg_temp.task('the task') as task \gset
select pg_temp.task('before it') as blocker \gset
insert into office.task_blockers (workspace_id, task_id, blocker_task_id) select t.workspace_id, t.id, pg_temp.task_id(:'blocker') from office.tasks as t where t.id = pg_temp.task_id(:'task');
update office.tasks set assignee_agent_id = (select a.id from office.agents as a where a.workspace_id = tasks.workspace_id) where id = pg_temp.task_id(:'task');
select pg_temp.look();
select is_empty(format('select from office.wakeups where task_id = %L', pg_temp.task_id(:'task')), 'T6, sc-T3: assigned while blocked → no wake');
select pg_temp.wake('ann', 'task_assigned', pg_temp.about(:'task')) as w \gset
select pg_temp.look();
select is(pg_temp.hold(:'w') || pg_temp.claim(), 'queued:blocker', 'Q12: an unresolved blocker holds back a task_assigned run');
select is(
  pg_temp.reasons(:'w'), format('task %s waits for %s "before it" → select * from office.move_task(''%s'', ''cancelled'');', :'task', :'blocker', :'blocker'),
  'S5: … which says for what, and what lifts it'
);
select pg_temp.wake('ann', 'queue_run', pg_temp.about(:'task', '{"stage_id": "a0000000-0000-4000-8000-000000000003"}')) as w2 \gset
select pg_temp.look();
select is(pg_temp.hold(:'w2'), 'queued:blocker', 'Q12: … and a queue_run one');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as w3 \gset
select is(pg_temp.claim(), 'ann:task_assigned', 'Q12: with any other wakeup it is launched: a comment on a blocked task is read at once');

select pg_temp.scenario('blocker-done', 'ann');
select pg_temp.task('before it') as blocker \gset
select pg_temp.task('the task', 'ann', array[:'blocker']) as task \gset
select pg_temp.wake('ann', 'task_assigned', pg_temp.about(:'task')) as w \gset
select pg_temp.look();
select is(pg_temp.hold(:'w'), 'queued:blocker', 'Q12: blocked');
select office.move_task(:'blocker', 'done');
select is(pg_temp.claim(), 'ann:task_assigned', 'Q12: … until the blocker is done, without any timer');
select is((pg_temp.run(:'w')).coalesced_count, 2, 'Q3: … and task_blockers_resolved has joined it');
-- A blocker that was done when the run was made, and is open again: why and the claim say the same.
select pg_temp.scenario('blocker-reopened', 'ann');
select pg_temp.task('before it') as blocker \gset
select office.move_task(:'blocker', 'done');
select pg_temp.look();
select pg_temp.task('the task', 'ann', array[:'blocker']) as task \gset
select pg_temp.look();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select is(pg_temp.hold(:'w'), 'queued:free', 'Q12: a blocker that is done holds nothing back');
update office.tasks set state = 'todo' where id = pg_temp.task_id(:'blocker');
select is(pg_temp.claim() || pg_temp.hold(:'w'), 'queued:blocker', 'Q12, S5: … until it is open again');
select office.move_task(:'blocker', 'cancelled');
select is(pg_temp.claim(), 'ann:task_assigned', 'Q12: … and ended again');
-- A hand writes another blocker into the row.
select pg_temp.scenario('blocker-exchanged', 'ann');
select pg_temp.task('before it') as blocker \gset
select pg_temp.task('done before it') as ended \gset
select office.move_task(:'ended', 'done');
select pg_temp.task('the task', 'ann', array[:'blocker']) as task \gset
select pg_temp.wake('ann', 'task_assigned', pg_temp.about(:'task')) as w \gset
select pg_temp.look();
update office.task_blockers set blocker_task_id = pg_temp.task_id(:'ended') where task_id = pg_temp.task_id(:'task');
select is(pg_temp.claim(), 'ann:task_assigned', 'A1, Q12: a plain UPDATE of what blocks it frees it');
select pg_temp.scenario('blocker-removed', 'ann');
select pg_temp.task('before it') as blocker \gset
select pg_temp.task('the task', 'ann', array[:'blocker']) as task \gset
select pg_temp.wake('ann', 'task_assigned', pg_temp.about(:'task')) as w \gset
select pg_temp.look();
delete from office.task_blockers where task_id = pg_temp.task_id(:'task');
select is(pg_temp.claim(), 'ann:task_assigned', 'Q12: … or is taken away');

select pg_temp.scenario('blocked-later', 'ann');
select pg_temp.task('before it') as blocker \gset
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.look();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
insert into office.task_blockers (workspace_id, task_id, blocker_task_id) select t.workspace_id, t.id, pg_temp.task_id(:'blocker') from office.tasks as t where t.id = pg_temp.task_id(:'task');
select is(pg_temp.claim() || pg_temp.hold(:'w'), 'queued:blocker', 'Q12: a blocker that comes before the claim holds as well');

-- The state blocked holds back nothing.
select pg_temp.scenario('state-blocked', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
update office.tasks set state = 'in_progress' where id = pg_temp.task_id(:'task');
update office.tasks set state = 'blocked' where id = pg_temp.task_id(:'task');
select pg_temp.wake('ann', 'task_assigned', pg_temp.about(:'task'));
select is(pg_temp.claim(), 'ann:task_assigned', 'Q12: the state blocked holds back nothing');

-- Snooze

select pg_temp.scenario('snooze', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
update office.tasks set snoozed_until = office.now() + interval '1 hour' where id = pg_temp.task_id(:'task');
select pg_temp.look();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select is(pg_temp.hold(:'w') || pg_temp.claim(), 'queued:snooze', 'Q12: a snoozed task''s assigned run waits');
select is((select x.until from office.waiting_for((pg_temp.run(:'w')).id) as x where x.reason like '%snoozed%'), office.now() + interval '1 hour', 'S5: … and says until when');
select testing.advance('59 minutes 59 seconds');
select is(pg_temp.claim(), '', 'Q12: … not a moment less');
select testing.advance('1 second');
select is(pg_temp.claim(), 'ann:task_assigned', 'Q12: … until the time has come');
select pg_temp.finish(:'w');
update office.tasks set snoozed_until = office.now() + interval '1 hour' where id = pg_temp.task_id(:'task');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as w \gset
select is(pg_temp.claim(), 'ann:user', 'Q12: … and holds back nothing else');
select pg_temp.scenario('unsnoozed', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
update office.tasks set snoozed_until = office.now() + interval '1 hour' where id = pg_temp.task_id(:'task');
select pg_temp.claim();
update office.tasks set snoozed_until = null where id = pg_temp.task_id(:'task');
select is(pg_temp.claim(), 'ann:task_assigned', 'Q12: … nor any longer than it lasts');

-- Every other reason, as it is told

select pg_temp.scenario('retry', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.fail(:'w');
select is(pg_temp.hold(:'w') || ' ' || split_part(pg_temp.reasons(:'w'), ' →', 1), 'queued:retry its retry is due', 'S5: a retry says so');
select pg_temp.scenario('window', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.look();
update office.runs set status = 'cancelled' where task_id = pg_temp.task_id(:'task');
select pg_temp.wake('ann', 'task_children_completed', pg_temp.about(:'task')) as w \gset
select pg_temp.look();
select is(pg_temp.reasons(:'w'), 'it gathers wakes that come in bursts', 'S5: a window says so');
select pg_temp.scenario('lane', 'ann');
select pg_temp.wake('ann') as busy \gset
select pg_temp.claim();
select pg_temp.message('ann', 'one') as w \gset
select pg_temp.look();
select is(split_part(pg_temp.reasons(:'w'), ' →', 1), 'ann has 1 of 1 runs going', 'S5: a busy agent says so');
select office.update_agent('lane/ann', '{"cooldown_sec": 30}');
select pg_temp.look();
select pg_temp.finish(:'busy');
select is(split_part(pg_temp.reasons(:'w'), ' →', 1), 'ann cools down', 'S5: … a cooling one');
select testing.advance('10 seconds');
select pg_temp.message('ann', 'two') as second \gset
select pg_temp.look();
select ok(pg_temp.reasons(:'second') like '%others of ann are before it%', 'S5: … whoever is behind another');
select pg_temp.scenario('paused', 'ann');
select pg_temp.wake('ann') as w \gset
update office.agents set status = 'paused', status_reason = 'on leave' where id = (pg_temp.wakeup(:'w')).agent_id;
select pg_temp.look();
select is(split_part(pg_temp.reasons(:'w'), ' →', 1), 'ann is paused: on leave', 'S5: … a paused one, with the reason');
select pg_temp.scenario('slots', 'ann', 'bob');
select office.set_setting('max_concurrent_runs', '1', 'slots');
select pg_temp.wake('ann');
select pg_temp.claim();
select pg_temp.wake('bob') as w \gset
select pg_temp.look();
select is(split_part(pg_temp.reasons(:'w'), ' →', 1), 'every slot of workspace slots is in use (1)', 'S5: … a full workspace');
select is((select u.waiting_for from office.up_next as u where u.run = 'r' || (pg_temp.run(:'w')).number), 'every slot of workspace slots is in use (1)', 'S5: up_next shows it');
select ok((select bool_or(y.event = 'waits' and y.detail like 'every slot%' and y.lift like '%max_concurrent_runs%') from office.why('r' || (pg_temp.run(:'w')).number) as y), 'I9: office.why too, with what lifts it');
-- Each lift is a command that does lift it.
select office.set_setting('max_concurrent_runs', '2', 'slots');
select is(pg_temp.claim(), 'bob:user', 'S5: … and it does');
update office.workers set lease_until = office.now() - interval '1 second';
select pg_temp.scenario('no-worker', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.look();
update office.workers set lease_until = office.now() - interval '1 second';
select is(pg_temp.reasons(:'w'), 'no worker lives → officectl serve', 'S5: … and that nobody would launch it');

select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
