-- office.stop and office.retry_run: what a person says about runs (P2, P4, P5).
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(31);

-- A queued run, a live one

select pg_temp.scenario('runs', 'ann', 'bob');
select pg_temp.wake('ann') as queued \gset
select pg_temp.look();
select results_eq(
  format('select run, status, result from office.stop(%L)', 'r' || (pg_temp.run(:'queued')).number),
  format($$ values (%L, 'cancelled', 'stopped') $$, 'r' || (pg_temp.run(:'queued')).number), 'P2: a queued run ends at once'
);
select is((pg_temp.wakeup(:'queued')).status || ' ' || (pg_temp.wakeup(:'queued')).reason, 'cancelled stopped', 'Q10: … and its wakeup');
select is(pg_temp.claim(), '', 'P2: … and is not launched');
select pg_temp.wake('bob') as live \gset
select pg_temp.claim();
select pg_temp.start(:'live');
select is((select s.status from office.stop('r' || (pg_temp.run(:'live')).number) as s), 'stopping', 'P2: a live run is asked to stop');
select is((select s.status from office.stop('r' || (pg_temp.run(:'live')).number) as s), 'stopping', 'P2: … stopping again changes nothing');
select is(pg_temp.finish(:'live') is null and (pg_temp.run(:'live')).result = 'stopped', true, 'P2: … and ends cancelled, whatever its program says');
select is_empty(format('select * from office.stop(%L)', 'r' || (pg_temp.run(:'live')).number), 'P2: what has ended is not stopped');
select is((pg_temp.run(:'live')).result, 'stopped', 'P5: … and stays what it was');

-- stop and finish: one outcome, the other told (sc-D7)
select pg_temp.wake('bob') as live \gset
select pg_temp.claim();
select pg_temp.finish(:'live');
select is_empty(format('select * from office.stop(%L)', 'r' || (pg_temp.run(:'live')).number), 'P5, sc-D7: a stop after the finish finds nothing');
select is((pg_temp.run(:'live')).result, 'succeeded', 'P5, sc-D7: … the finish stands');

-- A task, an agent, a workspace

select pg_temp.scenario('task', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select pg_temp.wake('bob', 'user', pg_temp.about(:'task'));
select pg_temp.wake('bob');
select pg_temp.look();
select is((select string_agg(s.result, ' ' order by s.run_id) from office.stop(:'task') as s), 'stopping stopped', 'P2: a task''s runs, live and queued');
select is(pg_temp.claim(), 'bob:user', 'P2: … and no other');
select pg_temp.scenario('agent', 'ann', 'bob');
select pg_temp.wake('ann') as live \gset
select pg_temp.claim();
select pg_temp.message('ann') as queued \gset
select pg_temp.wake('bob') as other \gset
select pg_temp.look();
select is((select string_agg(s.result, ' ' order by s.result) from office.stop('agent:agent/ann', 'gone wild') as s), 'agent_stopped stopping', 'P2: an agent''s runs');
select is((select a.status || ': ' || a.status_reason from office.agents as a where a.id = (pg_temp.run(:'live')).agent_id), 'stopped: gone wild', 'P2: … and it stays stopped');
select is(pg_temp.claim(), 'bob:user', 'P2: … nobody else is');
select pg_temp.scenario('workspace', 'ann', 'bob');
select pg_temp.wake('ann');
select pg_temp.claim();
select pg_temp.wake('bob');
select pg_temp.look();
select is((select string_agg(s.result, ' ' order by s.result) from office.stop('workspace:workspace') as s), 'stopped stopping', 'P2: a workspace''s runs');
select is((pg_temp.refusal(s.statement)).state, 'PT404', 'P2: refused: ' || s.statement)
from (values ($$ select office.stop('r99999') $$), ($$ select office.stop('t99999') $$), ($$ select office.stop('nobody') $$), ($$ select office.stop('workspace:nowhere') $$)) as s (statement);

-- Retry: interrupted, failed and blocked runs only

select pg_temp.scenario('retry', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.look();
select is((pg_temp.refusal(format('select office.retry_run(%L)', 'r' || (pg_temp.run(:'w')).number))).detail ->> 'code', 'conflict', 'P4: a queued run is not tried again');
select pg_temp.claim();
select is((pg_temp.refusal(format('select office.retry_run(%L)', 'r' || (pg_temp.run(:'w')).number))).detail ->> 'status', 'claimed', 'P4: … nor a live one');
select pg_temp.fail(:'w', 'x', 'limit');
select is((select (office.retry_run('r' || (pg_temp.run(:'w')).number)).status), 'queued', 'P4: … a blocked one is');
select is((pg_temp.wakeup(:'w')).status, 'claimed', 'Q10: … its wakeup is claimed again');
select is(pg_temp.claim(), 'ann:user', 'P4: … at once');
select is((select a.number from office.attempts as a where a.id = pg_temp.attempt(:'w')), 2, 'P4: … on a new attempt');
select pg_temp.finish(:'w');
select is((pg_temp.refusal(format('select office.retry_run(%L)', 'r' || (pg_temp.run(:'w')).number))).hint, 'Wake its agent anew: office.wake.', 'P4: a finished one needs a new wake');
select pg_temp.wake('ann') as w \gset
select pg_temp.look();
select office.stop('r' || (pg_temp.run(:'w')).number);
select is((pg_temp.refusal(format('select office.retry_run(%L)', 'r' || (pg_temp.run(:'w')).number))).state, 'PT409', 'P4: … a cancelled one too');
select is((pg_temp.refusal('select office.retry_run(''r99999'')')).state, 'PT404', 'P4: a run that is not there');

-- A retry of what is stale by now is settled like any other.
select pg_temp.scenario('stale-retry', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.fail(:'w', 'x', 'limit');
select office.assign_task(:'task', 'bob');
select pg_temp.look();
select is((select (office.retry_run('r' || (pg_temp.run(:'w')).number)).result), 'assignee_changed', 'Q13.3, P4: a retry of what nobody wants any more ends so');

select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
