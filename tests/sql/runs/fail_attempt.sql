-- office.fail_attempt: a failure is tried again after a back-off, or gives up (Q18); a fault that only a person mends blocks (Q23, S6); a
-- due retry is checked again (Q20). sc-W15
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql

select plan(55);

-- The delays: 2 min, 10 min, 30 min, 2 h, each plus 0 to 25 %

select pg_temp.scenario('delays', 'ann', 'boss');
select office.update_agent('delays/boss', '{"role": "coordinator"}');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
create function pg_temp.delay_fits(wakeup uuid, delay interval)
returns boolean
language sql
as $$ select (pg_temp.run(wakeup)).scheduled_retry_at - office.now() between delay and delay * 1.25 $$;

select results_eq(
  format($$ select run_id, status, result from office.fail_attempt(%L, 'exit 1: boom', exit_code => 1) $$, pg_temp.attempt(:'w')),
  format($$ values (%L::uuid, 'queued', 'queued') $$, (pg_temp.run(:'w')).id), 'Q18: a failure queues the same run again'
);
select ok(pg_temp.delay_fits(:'w', '2 minutes'), 'Q18, sc-W15: the first retry comes between 2:00 and 2:30');
select is(
  concat_ws(' ', (pg_temp.run(:'w')).retry_count, (pg_temp.run(:'w')).claimed_at is null, (pg_temp.run(:'w')).requested_at = office.now(), (pg_temp.run(:'w')).parked),
  '1 t t retry', 'Q18, sc-W15: one retry counted, claimed_at cleared, requested_at kept'
);
select is(
  (select a.outcome || ': ' || a.error || ', ' || a.exit_code from office.attempts as a where a.id = pg_temp.attempt(:'w')), 'failed: exit 1: boom, 1',
  'Q18: the attempt keeps its evidence'
);
select testing.advance('1 minute 59 seconds');
select is(pg_temp.claim(), '', 'Q18: never earlier');
select is(
  (select c.next_due_at from office.claim_runs(current_setting('testing.worker')::uuid) as c), (pg_temp.run(:'w')).scheduled_retry_at,
  'Q15: the claim says when'
);
select testing.advance('31 seconds');
select is(pg_temp.claim(), 'ann:user', 'Q18: … and after it, it is claimed');
select is((pg_temp.run(:'w')).requested_at, office.now() - interval '2 minutes 30 seconds', 'Q18: a retry keeps requested_at');
select is((select a.number from office.attempts as a where a.id = pg_temp.attempt(:'w')), 2, 'Q18: … on a new attempt');
select pg_temp.fail(:'w');
select ok(pg_temp.delay_fits(:'w', '10 minutes'), 'Q18: the second between 10:00 and 12:30');
select testing.advance('12 minutes 30 seconds');
select pg_temp.claim();
select pg_temp.fail(:'w');
select ok(pg_temp.delay_fits(:'w', '30 minutes'), 'Q18: the third between 30:00 and 37:30');
select testing.advance('38 minutes');
select pg_temp.claim();
select pg_temp.fail(:'w');
select ok(pg_temp.delay_fits(:'w', '2 hours'), 'Q18: the fourth between 2:00:00 and 2:30:00');
select is(pg_temp.runs(), 'ann:user:event:queued:1', 'Q18: four failures, one run');
select is_empty($$ select from office.inbox $$, 'Q18: … and nobody is bothered yet');
select testing.advance('2 hours 30 minutes');
select pg_temp.claim();
select is(pg_temp.fail(:'w', 'exit 1: the last straw'), 'failed', 'Q18, sc-W15: the fifth failure gives up');
select results_eq(
  $$ select i.kind, i.agent_id, i.title from office.inbox_items as i where i.closed_at is null $$,
  format($$ values ('agent.error', %L::uuid, 'r%s of ann gave up') $$, (pg_temp.run(:'w')).agent_id, (pg_temp.run(:'w')).number),
  'Q18, sc-W15: … with an inbox item'
);
select results_eq(
  $$ select a.name, w.source, w.payload ->> 'error', w.idempotency_key collate "default" from office.wakeups as w join office.agents as a on a.id = w.agent_id where w.source = 'agent_error' $$,
  format($$ values ('boss', 'agent_error', 'exit 1: the last straw', 'agent_error:%s') $$, (pg_temp.run(:'w')).id),
  'Q18, Q3, sc-W15: … and the coordinator is woken with the error text'
);
select is(pg_temp.claim(), 'boss:agent_error', 'Q18: … and launched');
select is(
  (select position('the last straw' in p.assembled_prompt) > 0 from office.attempt_prompts as p join office.runs as r on r.attempt_id = p.attempt_id where r.reason = 'agent_error'),
  true, 'C1: … and told'
);
select is((pg_temp.wakeup(:'w')).status || ' ' || (pg_temp.wakeup(:'w')).reason, 'failed failed', 'Q10: the wakeup failed');
-- The coordinator's own failure
select id as boss from office.wakeups where source = 'agent_error' \gset
select office.set_setting('max_retry_count', '0', 'delays');
select pg_temp.fail(:'boss');
select is((select count(*)::integer from office.wakeups as w where w.source = 'agent_error'), 1, 'Q18, sc-W15: the coordinator''s own failure wakes nobody');
select is((select count(*)::integer from office.inbox_items as i where i.kind = 'agent.error'), 2, 'Q18, sc-W15: … the inbox item is made all the same');

-- Many delays: within their bounds, and not all the same
select pg_temp.scenario('jitter', 'ann');
select pg_temp.message('ann') from generate_series(1, 8);
select office.update_agent('jitter/ann', '{"max_concurrent_sessions": 8}');
select pg_temp.claim();
select office.fail_attempt(r.attempt_id, 'x') from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'jitter';
select is(
  (select bool_and(r.scheduled_retry_at - office.now() between '2 minutes' and '2 minutes 30 seconds') and count(distinct r.scheduled_retry_at) > 1 from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'jitter'),
  true, 'Q18: retries of one instant are spread'
);

-- Who leads

create function pg_temp.woken_for_failure_of(agent text)
returns text
language plpgsql
as $$
declare
  v_wakeup uuid;
  v_workspace text := current_setting('testing.workspace');
begin
  perform office.set_setting('max_retry_count', '0', v_workspace);
  v_wakeup := pg_temp.wake(agent);
  perform pg_temp.claim();
  perform pg_temp.fail(v_wakeup);
  return (select a.name from office.wakeups as w join office.agents as a on a.id = w.agent_id where w.idempotency_key = 'agent_error:' || (pg_temp.run(v_wakeup)).id);
end
$$;
select pg_temp.scenario('leaders', 'ann', 'boss', 'old', 'chief');
select is(pg_temp.woken_for_failure_of('ann'), null, 'Q18: nobody leads → nobody is woken');
select office.update_agent('leaders/boss', '{"role": "coordinator"}'), office.update_agent('leaders/old', '{"role": "coordinator"}');
update office.agents set created_at = created_at - interval '1 day' where name = 'old';
select is(pg_temp.woken_for_failure_of('ann'), 'old', 'Q18: … the oldest coordinator');
select office.update_agent('leaders/chief', '{"role": "ceo"}');
select is(pg_temp.woken_for_failure_of('ann'), 'chief', 'Q18: … before it the ceo');
select office.update_agent('leaders/ann', '{"reports_to": "boss"}');
select is(pg_temp.woken_for_failure_of('ann'), 'boss', 'Q18: … before them whom the agent reports to');
update office.agents set status = 'stopped' where name = 'boss' and workspace_id = (select id from office.workspaces where name = 'leaders');
select is(pg_temp.woken_for_failure_of('ann'), 'chief', 'Q18: … unless stopped');
update office.agents set status = 'paused' where name = 'chief';
select is(pg_temp.woken_for_failure_of('ann'), 'chief', 'Q18: a paused one is woken, and runs when it resumes');

-- Settings

select pg_temp.scenario('once', 'ann');
select office.set_setting('max_retry_count', '1', 'once');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select is(pg_temp.fail(:'w'), 'queued', 'Q18: max_retry_count 1: the first failure is tried again');
select testing.advance('3 minutes');
select pg_temp.claim();
select is(pg_temp.fail(:'w'), 'failed', 'Q18: … the second gives up');
select office.set_setting('max_retry_count', '7', 'once');
select office.retry_run('r' || (pg_temp.run(:'w')).number);
do $$
declare
  v_wakeup uuid := (select w.id from office.wakeups as w join office.workspaces as s on s.id = w.workspace_id where s.name = 'once');
begin
  for n in 1..5 loop
    perform pg_temp.claim();
    perform pg_temp.fail(v_wakeup);
    exit when n = 5;
    perform testing.advance('3 hours');
  end loop;
end
$$;
select ok(pg_temp.delay_fits(:'w', '2 hours'), 'Q18: past the fourth the delay stays');
select is((pg_temp.run(:'w')).retry_count, 5, 'Q18, P4: a person''s retry has begun anew');

-- Twice

select pg_temp.scenario('twice', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.fail(:'w', 'first');
select (pg_temp.run(:'w')).scheduled_retry_at as due \gset
select is(pg_temp.fail(:'w', 'second'), 'queued', 'Q16: failing again is a no-op');
select is((pg_temp.run(:'w')).retry_count || ' ' || (select a.error from office.attempts as a where a.id = pg_temp.attempt(:'w')), '1 first', 'Q16: … counted once');
select is((pg_temp.run(:'w')).scheduled_retry_at, :'due'::timestamptz, 'Q16: … and due as before');

-- Before it started, and while it waits
select pg_temp.scenario('waiting', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.start(:'w');
select pg_temp.ask(:'w');
select is(pg_temp.fail(:'w'), 'waiting', 'D9: a program that fails while its run waits for a person leaves it waiting');

-- Causes

select pg_temp.scenario('causes', 'ann', 'boss');
select office.update_agent('causes/boss', '{"role": "ceo"}');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select is(pg_temp.fail(:'w', 'no such program: agnet', 'configuration'), 'blocked', 'Q23, sc-X1: a configuration fault blocks at once');
select is((pg_temp.run(:'w')).retry_count || ' ' || coalesce((pg_temp.run(:'w')).scheduled_retry_at::text, 'never'), '0 never', 'Q23, sc-X1: … no timer');
select is(
  (select i.kind || ' ' || (position('no such program: agnet' in i.body) > 0) || ' ' || (position('retry_run' in i.body) > 0) from office.inbox_items as i where i.run_id = (pg_temp.run(:'w')).id),
  'run.blocked true true', 'Q23, sc-X1: … an inbox item says what to mend, and how to go on'
);
select is(pg_temp.claim(), 'boss:agent_error', 'Q18: a blocked run is escalated the same way');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select is(pg_temp.fail(:'w', 'printed more than allowed', 'limit'), 'blocked', 'S6: a limit blocks likewise');
select is(
  (pg_temp.refusal(format('select office.fail_attempt(%L, ''x'', ''whim'')', pg_temp.attempt(:'w')))).state, 'PT422', 'Q18: an unknown cause is refused'
);
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select is(pg_temp.fail(:'w', null), 'queued', 'Q18: a failure without a word is one');

-- Q20: a due retry is checked again

select pg_temp.scenario('stale-assignee', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.fail(:'w');
select office.assign_task(:'task', 'bob');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'retry_stale_assignee', 'Q20: reassigning cancels the scheduled retry at once');
select is((select v.kind from office.activity as v where v.run_id = (pg_temp.run(:'w')).id and v.detail ->> 'reason' = 'retry_stale_assignee'), 'wakeup_retry_cancelled', 'Q20: … with activity');
select is(pg_temp.claim(), 'bob:task_assigned', 'Q20: … and the new assignee gets the task');

select pg_temp.scenario('retry-cancelled', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.fail(:'w');
select office.move_task(:'task', 'cancelled');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'retry_task_cancelled', 'Q20, sc-T11: a cancelled task''s retries are gone');

-- … also when no signal came: the claim looks again.
select pg_temp.scenario('due-retry', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.fail(:'w');
update office.tasks set assignee_agent_id = null where id = pg_temp.task_id(:'task');
delete from office_internal.signals where task_id = pg_temp.task_id(:'task');
select pg_temp.claim();
select is((pg_temp.run(:'w')).status, 'queued', 'Q20: without a signal the retry waits until it is due');
select testing.advance('3 minutes');
select is(pg_temp.claim() || (pg_temp.run(:'w')).result, 'retry_stale_assignee', 'Q20: … and is checked then');

-- … by maintenance as well, where nobody claims.
select pg_temp.scenario('maintained', 'ann', 'bob');
select pg_temp.task('given away', 'ann') as given \gset
select pg_temp.task('cancelled', 'bob') as cancelled \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'given') \gset
select id as c from office.wakeups where task_id = pg_temp.task_id(:'cancelled') \gset
select pg_temp.fail(:'w'), pg_temp.fail(:'c');
select pg_temp.claim();
update office.tasks set assignee_agent_id = null where id = pg_temp.task_id(:'given');
update office.tasks set state = 'cancelled' where id = pg_temp.task_id(:'cancelled');
delete from office_internal.signals where task_id in (pg_temp.task_id(:'given'), pg_temp.task_id(:'cancelled'));
select is((select m.done from office.maintain() as m where m.piece = 'retries'), 0, 'Q20: maintenance leaves what is not due');
select testing.advance('3 minutes');
select is((select m.done from office.maintain() as m where m.piece = 'retries'), 2, 'Q20: maintenance settles due retries that nobody wants any more');
select is((pg_temp.run(:'w')).result || ' ' || (pg_temp.run(:'c')).result, 'retry_stale_assignee retry_task_cancelled', 'Q20: … for the same reasons');
-- The signals that were taken away above.
select office_internal.leave_signal(t.workspace_id, 'task_holds', t.id) from office.tasks as t where t.id = pg_temp.task_id(:'cancelled');
select pg_temp.look();
select is(
  (select count(*)::integer from office.activity as v where v.run_id in ((pg_temp.run(:'w')).id, (pg_temp.run(:'c')).id) and v.kind = 'wakeup_retry_cancelled'), 2,
  'Q20: … with activity'
);

-- The dispatch hears of the task at last: its session ends.
select office_internal.leave_signal(t.workspace_id, 'task_holds', t.id) from office.tasks as t where t.id = pg_temp.task_id(:'cancelled');
select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
