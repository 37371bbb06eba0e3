-- office_internal.follow_settings: what a workspace's settings say reaches its gate, and the runs that wait by them, with the next dispatch
-- (J4, S1, S6, Q6, Q13.5), by the function or by a hand-written statement.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
select plan(14);

create function pg_temp.gate() returns office_internal.gates language sql
as $$ select g from office_internal.gates as g join office.workspaces as w on w.id = g.workspace_id where w.name = current_setting('testing.workspace') $$;

-- Slots and limits
select pg_temp.scenario('limits', 'ann');
select is((pg_temp.gate()).slots, 8, 'S1: the gate has the workspace''s slots');
select office.set_setting('attempt_minutes', '7', 'limits');
select is((pg_temp.gate()).attempt_limits ->> 'minutes', '60', 'S6: a limit is followed by the dispatch, not by the setting''s own transaction');
select pg_temp.look();
select is((pg_temp.gate()).attempt_limits ->> 'minutes', '7', 'S6: … and then it is there');
select pg_temp.wake('ann') as w \gset
select is(
  (select c.limits ->> 'minutes' from office.claim_runs(current_setting('testing.worker')::uuid) as c where c.run_id is not null), '7',
  'S6: … and the launch carries it'
);
insert into office.settings (scope, scope_id, key, value)
select 'workspace', w.id, 'attempt_tool_calls', '5' from office.workspaces as w where w.name = 'limits';
select pg_temp.look();
select is((pg_temp.gate()).attempt_limits ->> 'tool_calls', '5', 'S6: a hand''s row is followed as well');
delete from office.settings where key = 'attempt_tool_calls';
select pg_temp.look();
select is((pg_temp.gate()).attempt_limits ->> 'tool_calls', '200', 'S6: … and its removal');
select office.set_setting('attempt_turns', '3', 'office');
select office.dispatch();
select is((pg_temp.gate()).attempt_limits ->> 'turns', '3', 'J4: what is set for the office reaches every workspace');

-- A window that is made shorter lets go who waits in it (Q6)
select pg_temp.scenario('window', 'ann');
select office.set_setting('coalescing_window_seconds', '300', 'window');
select pg_temp.look();
select pg_temp.task('Parent', 'ann') as task \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.start(:'w');
select pg_temp.finish(:'w');
select pg_temp.wake('ann', 'task_children_completed', pg_temp.about(:'task')) as late \gset
select is(pg_temp.claim(), '', 'Q6: a bursty wake gathers for the window');
select office.set_setting('coalescing_window_seconds', '0', 'window');
select is(pg_temp.claim(), 'ann:task_children_completed', 'Q6: a window that is no more holds nobody');

-- … and one that is made longer keeps who has left the shorter one and was not claimed
select pg_temp.scenario('longer', 'ann');
select pg_temp.task('Parent', 'ann') as task \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.start(:'w');
select pg_temp.finish(:'w');
select pg_temp.wake('ann', 'task_children_completed', pg_temp.about(:'task')) as late \gset
select pg_temp.look();
select office.set_setting('coalescing_window_seconds', '0', 'longer');
select pg_temp.look();
select is((pg_temp.run(:'late')).parked, null, 'Q6: it gathers no longer');
select office.set_setting('coalescing_window_seconds', '300', 'longer');
select is(
  pg_temp.claim() || (pg_temp.run(:'late')).parked, 'window', 'Q6: a window that is made longer holds it once more: the claim does what why says'
);

-- Whether a lock is waited for (Q13.5): one that waits is let go, and gives way
select pg_temp.scenario('conflict', 'ann', 'bob');
select office.set_setting('on_checkout_conflict', 'wait', 'conflict');
select pg_temp.look();
select pg_temp.task('Shared', 'ann') as task \gset
select pg_temp.claim();
-- The task changes hands, and the dispatch does not hear of it: so that a second assignee's run meets a live first.
update office.tasks as t
set assignee_agent_id = (select a.id from office.agents as a where a.workspace_id = t.workspace_id and a.name = 'bob')
where t.id = pg_temp.task_id(:'task');
delete from office_internal.signals as s where s.task_id = pg_temp.task_id(:'task');
select pg_temp.wake('bob', 'reopened', pg_temp.about(:'task')) as second \gset
select is(pg_temp.claim() || (pg_temp.run(:'second')).parked, 'checkout', 'Q13.5: on_checkout_conflict = wait: it waits for the lock');
select office.set_setting('on_checkout_conflict', 'skip', 'conflict');
select is(pg_temp.claim() || (pg_temp.run(:'second')).result, 'checkout_lost', 'Q13.5: … which nobody waits for once the setting says so');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
