-- The checkout (Q13.5, T10): a task's lock is a run's; an assignee's run that finds it held by another assignee's run ends checkout_lost,
-- every other waits. sc-W15
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(24);

-- A task of ann's that a run of hers has locked.
create function pg_temp.locked(name text)
returns text
language plpgsql
as $$
declare
  v_task text;
begin
  perform pg_temp.scenario(name, 'ann', 'bob', 'rev');
  v_task := pg_temp.task('the task', 'ann');
  insert into office.task_participants (workspace_id, task_id, agent_id, role)
  select t.workspace_id, t.id, a.id, 'reviewer'
  from office.tasks as t
  join office.agents as a on a.workspace_id = t.workspace_id and a.name = 'rev'
  where t.id = pg_temp.task_id(v_task);
  perform pg_temp.claim();
  return v_task;
end
$$;
-- The first run of a task.
create function pg_temp.holder(task text)
returns uuid
language sql
as $$ select w.id from office.wakeups as w where w.task_id = pg_temp.task_id(task) order by w.requested_at, w.id limit 1 $$;
-- The task changes hands, and the dispatch does not hear of it: so that a second assignee's run meets a live first.
create function pg_temp.give(task text, agent text)
returns uuid
language plpgsql
as $$
begin
  update office.tasks as t
  set assignee_agent_id = (select a.id from office.agents as a where a.workspace_id = t.workspace_id and a.name = give.agent)
  where t.id = pg_temp.task_id(task);
  delete from office_internal.signals as s where s.task_id = pg_temp.task_id(task);
  return pg_temp.wake(agent, 'reopened', pg_temp.about(task));
end
$$;

select pg_temp.locked('lost') as task \gset
select pg_temp.holder(:'task') as holder \gset
select is((select c.checkout_run_id from office.checkouts as c where c.task_id = pg_temp.task_id(:'task')), (pg_temp.run(:'holder')).id, 'Q13.5: the lock is the run''s');
select pg_temp.give(:'task', 'bob') as w \gset
select is(pg_temp.claim() || (pg_temp.run(:'w')).result, 'checkout_lost', 'Q13.5, sc-W15: a second assignee''s run → checkout_lost');
select is((pg_temp.run(:'w')).retry_count || ' ' || (pg_temp.wakeup(:'w')).status || ' ' || (pg_temp.wakeup(:'w')).reason, '0 skipped checkout_lost', 'Q13.5, Q10: … no retry; the wakeup is skipped');
select is((select c.checkout_run_id from office.checkouts as c where c.task_id = pg_temp.task_id(:'task')), (pg_temp.run(:'holder')).id, 'Q13.5: … the lock stays where it was');
select pg_temp.finish(:'holder');
select is((select count(*)::integer from office.checkouts as c where c.task_id = pg_temp.task_id(:'task')), 0, 'T10: … until its run ends');

select pg_temp.locked('wait') as task \gset
select office.set_setting('on_checkout_conflict', 'wait', 'wait');
select pg_temp.holder(:'task') as holder \gset
select pg_temp.give(:'task', 'bob') as w \gset
select is(pg_temp.claim() || (pg_temp.run(:'w')).status || ' ' || (pg_temp.run(:'w')).parked, 'queued checkout', 'Q13.5: on_checkout_conflict = wait: it waits');
select is((select string_agg(x.reason, '; ') from office.waiting_for((pg_temp.run(:'w')).id) as x where x.reason like 'task %'), format('task %s is locked by r%s', :'task', (pg_temp.run(:'holder')).number), 'S5: … and says for what');
select pg_temp.finish(:'holder');
select is(pg_temp.claim(), 'bob:reopened', 'Q13.5: … and is launched when it is free');

-- Stopping: it waits
select pg_temp.locked('stopping') as task \gset
select pg_temp.holder(:'task') as holder \gset
select office.assign_task(:'task', 'bob');
select is(pg_temp.claim() || (pg_temp.run(:'holder')).status, 'stopping', 'T6: reassigning stops the old assignee''s live run');
select is((select r.status || ' ' || r.parked from office.runs as r join office.agents as a on a.id = r.agent_id where r.task_id = pg_temp.task_id(:'task') and a.name = 'bob'), 'queued checkout', 'Q13.5: held by a run that is stopping → the new one waits');
select pg_temp.finish(:'holder');
select is((pg_temp.run(:'holder')).status || ' ' || pg_temp.claim(), 'cancelled bob:task_assigned', 'Q13.5: … and goes when that has ended');

-- A reviewer waits for the assignee
select pg_temp.locked('reviewer') as task \gset
select pg_temp.holder(:'task') as holder \gset
select pg_temp.wake('rev', 'review_requested', pg_temp.about(:'task', '{"role": "reviewer", "round": 1}')) as w \gset
select is(pg_temp.claim() || (pg_temp.run(:'w')).status || ' ' || (pg_temp.run(:'w')).parked, 'queued checkout', 'Q13.5, sc-W15: a reviewer whose assignee holds the lock → waits');
select pg_temp.finish(:'holder');
select is(pg_temp.claim(), 'rev:review_requested', 'Q13.5, sc-W15: … runs afterwards');
-- … and the assignee for the reviewer
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as back \gset
select is(pg_temp.claim() || (pg_temp.run(:'back')).status, 'queued', 'Q13.5: held by a reviewer''s run → an assignee''s waits');
select pg_temp.finish(:'w');
select is(pg_temp.claim(), 'ann:user', 'Q13.5: … and goes afterwards');

-- Who is mentioned waits as well
select pg_temp.locked('mentioned') as task \gset
select pg_temp.holder(:'task') as holder \gset
select pg_temp.wake('bob', 'user', pg_temp.about(:'task')) as w \gset
select is((pg_temp.wakeup(:'w')).addresses || pg_temp.claim() || (pg_temp.run(:'w')).status, 'mentionedqueued', 'Q13.5: a mentioned agent''s run waits');
select pg_temp.finish(:'holder');
select is(pg_temp.claim(), 'bob:user', 'Q13.5: … and goes afterwards');

-- Two for one free task in one claim: the first has it, the other waits.
select pg_temp.scenario('both', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.look();
select testing.advance('1 second');
select pg_temp.wake('bob', 'user', pg_temp.about(:'task')) as w \gset
select is(pg_temp.claim(), 'ann:task_assigned', 'Q13.5: of two runs of one task in one claim the first is launched');
select is((pg_temp.run(:'w')).parked, 'checkout', 'Q13.5: … the other waits for the lock');

-- Queued again: its next claim takes it again.
select pg_temp.locked('again') as task \gset
select pg_temp.holder(:'task') as holder \gset
select pg_temp.wake('bob', 'user', pg_temp.about(:'task')) as other \gset
select pg_temp.fail(:'holder');
select is(pg_temp.claim(), 'bob:user', 'T10: a run that goes back to queued releases its lock, to whoever waits');
select testing.advance('3 minutes');
select is(pg_temp.claim() || (pg_temp.run(:'holder')).parked, 'checkout', 'T10: … and waits for it in its turn');
select pg_temp.finish(:'other');
select is(pg_temp.claim(), 'ann:task_assigned', 'T10: … its next claim takes it again');
select is((select c.checkout_run_id from office.checkouts as c where c.task_id = pg_temp.task_id(:'task')), (pg_temp.run(:'holder')).id, 'T10: … by compare-and-set');

select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
