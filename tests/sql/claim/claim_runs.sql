-- office.claim_runs: what a launch is (Q11), which run is claimable, in which order and within which limits (Q12), the agent guard
-- (Q13.2), and that one run whose step raises stops no other (Q13). sc-W9 to sc-W12 as far as one session shows them.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql

select plan(63);

-- A launch

select pg_temp.scenario('launch', 'ann');
select office.update_agent('launch/ann', '{"instructions": "Be kind."}');
select office.create_project('shop', '/srv/shop', workspace => 'launch');
select (office.create_task('Look at order 7', 'It is late.', 'ann', project => 'shop', workspace => 'launch')).task as task \gset
create temporary table launches as select * from office.claim_runs(current_setting('testing.worker')::uuid, 5);
select is((select count(*)::integer from launches where run_id is not null), 1, 'Q11: one row a launch');
select is((select count(*)::integer from launches where run_id is null), 1, 'Q11: … and a last row that says when to ask again');
select results_eq(
  $$ select workspace, agent, task, reason, attempt_number, folder, resume, answer::text, engine_session, executor from launches where run_id is not null $$,
  format($$ values ('launch', 'ann', %L, 'task_assigned', 1, '/srv/shop', false, null::text, null::text, '{"command": ["/bin/true"]}'::jsonb) $$, :'task'),
  'Q11: a launch says who, about what, why, where and what'
);
select results_eq(
  $$ select l.run, l.attempt_id, l.agent_id, l.task_id from launches as l where l.run_id is not null $$,
  $$ select 'r' || r.number, r.attempt_id, r.agent_id, r.task_id from office.runs as r join launches as l on l.run_id = r.id $$, 'Q11: … by its ids'
);
select is((select l.limits from launches as l where l.run_id is not null), '{"minutes": 60, "turns": 40, "tool_calls": 200, "silence_seconds": 900, "output_bytes": 2097152}', 'Q11: … within which limits');
select is(
  (select l.environment ->> 'OFFICE_RUN_ID' = l.run_id::text and l.environment ->> 'OFFICE_ATTEMPT_ID' = l.attempt_id::text and l.environment ->> 'OFFICE_TASK' = l.task and l.environment ->> 'OFFICE_WAKE_REASON' = 'task_assigned' from launches as l where l.run_id is not null),
  true, 'Q11: … with its environment'
);
select is(
  (select p.assembled_prompt = l.prompt and position('Be kind.' in l.prompt) > 0 and position('Look at order 7' in l.prompt) > 0 from launches as l join office.attempt_prompts as p using (attempt_id)),
  true, 'Q13.7: … and its prompt, stored on the attempt as it was told'
);
select is(
  (select a.token_hash = sha256(convert_to(l.token, 'UTF8')) from office.attempts as a join launches as l on l.attempt_id = a.id), true, 'X3: … the token, of which only the hash is kept'
);
select results_eq(
  $$ select r.status, r.claimed_at, r.worker_id::text, a.number, a.claimed_at, a.worker_id::text from office.runs as r join office.attempts as a on a.id = r.attempt_id join launches as l on l.run_id = r.id $$,
  $$ select 'claimed', office.now(), current_setting('testing.worker'), 1, office.now(), current_setting('testing.worker') $$,
  'Q13.1: claimed, with time, worker and attempt'
);
select is((select c.checkout_run_id from office.checkouts as c where c.task_id = pg_temp.task_id(:'task')), (select run_id from launches where run_id is not null), 'Q13.5: … and its task''s lock');
select is(pg_temp.claim(), '', 'Q11: claimed once');

-- Order

select pg_temp.scenario('order', 'ann', 'bob', 'cis');
select pg_temp.wake('cis');
select pg_temp.look();
select testing.advance('1 second');
select pg_temp.wake('ann');
select pg_temp.look();
select testing.advance('1 second');
select pg_temp.wake('bob');
select is(pg_temp.claim(), 'cis:user, ann:user, bob:user', 'Q12: by requested_at, whatever the agent');

select pg_temp.scenario('busy', 'ann', 'bob');
select pg_temp.wake('ann') as busy \gset
select pg_temp.claim();
select pg_temp.message('ann', 'oldest');
select pg_temp.look();
select testing.advance('1 minute');
select pg_temp.wake('bob');
select is(pg_temp.claim(), 'bob:user', 'Q12, sc-W11: what cannot start does not hold up what can');
select pg_temp.finish(:'busy');
select is(pg_temp.claim(), 'ann:message', 'Q12: … and starts when it can');

select pg_temp.scenario('instant', 'ann', 'bob', 'cis', 'dan');
select pg_temp.wake(a) from unnest(array['ann', 'bob', 'cis', 'dan']) as a;
select pg_temp.look();
create temporary table by_id as
select array_agg('r' || r.number order by r.id) as runs from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'instant';
select is(
  (select array_agg(c.run order by c.ordinality) from office.claim_runs(current_setting('testing.worker')::uuid, 4) with ordinality as c where c.run_id is not null),
  (select runs from by_id), 'Q12, sc-W11: runs of the same instant → by id'
);

-- max_runs

select pg_temp.scenario('how-many', 'ann', 'bob', 'cis');
select pg_temp.wake(a) from unnest(array['ann', 'bob', 'cis']) as a;
select is(array_length(string_to_array(pg_temp.claim(2), ', '), 1), 2, 'Q11: at most max_runs launches');
select is((select c.next_due_at from office.claim_runs(current_setting('testing.worker')::uuid, 0) as c), office.now(), 'Q11: … what is left is asked for at once');
select is(array_length(string_to_array(pg_temp.claim(2), ', '), 1), 1, 'Q11: … and then claimed');
select is((select c.next_due_at from office.claim_runs(current_setting('testing.worker')::uuid, 5) as c), null, 'Q11: nothing to come → nothing due');

-- Slots of the workspace, capacity of the agent

select pg_temp.scenario('slots', 'ann', 'bob', 'cis');
select office.set_setting('max_concurrent_runs', '2', 'slots');
select pg_temp.wake('ann') as ann \gset
select pg_temp.wake('bob') as bob \gset
select pg_temp.wake('cis') as cis \gset
select is(array_length(string_to_array(pg_temp.claim(), ', '), 1), 2, 'S1: no more than the workspace has slots');
select is(pg_temp.claim(), '', 'S1: … however often it is asked');
select office.stop('r' || r.number) from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'slots' and r.status = 'claimed' limit 1;
select is(pg_temp.claim(), '', 'Q12: a run that is stopping holds its slot');
select office.set_setting('max_concurrent_runs', '3', 'slots');
select is(array_length(string_to_array(pg_temp.claim(), ', '), 1), 1, 'S1: one slot more, one launch more');

select pg_temp.scenario('capacity', 'ann');
select pg_temp.message('ann') from generate_series(1, 5);
select is(pg_temp.claim(), 'ann:message', 'Q12: max_concurrent_sessions is 1 unless said');
select is(pg_temp.claim(), '', 'Q12: claimed counts');
update office.runs set status = 'running' where status = 'claimed' and workspace_id = (select id from office.workspaces where name = 'capacity');
select is(pg_temp.claim(), '', 'Q12: running counts');
select w.id as asks
from office.wakeups as w
join office.runs as r on r.id = w.run_id and r.status = 'running'
join office.workspaces as s on s.id = r.workspace_id and s.name = 'capacity' \gset
select pg_temp.ask(:'asks');
select is(pg_temp.claim(), '', 'Q12: waiting counts');
select pg_temp.leave(:'asks');
select office.answer('d' || d.number, 'yes') from office.decisions as d where d.run_id = (pg_temp.run(:'asks')).id;
select is(
  (select array_agg(c.resume) from office.claim_runs(current_setting('testing.worker')::uuid, 50) as c where c.run_id is not null),
  array[true], 'Q12, S3: answered and queued to go on counts: it alone goes on'
);
select office.update_agent('capacity/ann', '{"max_concurrent_sessions": 3}');
select is(pg_temp.claim(), 'ann:message, ann:message', 'Q12: the limit is the agent''s, and never exceeded');

-- Cooldown (sc-W10)

select pg_temp.scenario('cooldown', 'ann');
select office.update_agent('cooldown/ann', '{"cooldown_sec": 10}');
select pg_temp.wake('ann') as w \gset
select is(pg_temp.claim(), 'ann:user', 'Q12: an agent that never ran is not cooling');
select pg_temp.finish(:'w');
select pg_temp.wake('ann') as w \gset
select testing.advance('3 seconds');
select is(pg_temp.claim(), '', 'Q12, sc-W10: finished 3 s ago, cooldown 10 → not claimable');
select is((select c.next_due_at from office.claim_runs(current_setting('testing.worker')::uuid) as c), office.now() + interval '7 seconds', 'Q11: … the claim says when');
select testing.advance('6.999 seconds');
select is(pg_temp.claim(), '', 'Q12: … not a moment before');
select testing.advance('0.001 seconds');
select is(pg_temp.claim(), 'ann:user', 'Q12: … at least 10 s ago → claimable');
select pg_temp.fail(:'w', 'no program', 'configuration');
select pg_temp.wake('ann') as w \gset
select is(pg_temp.claim(), '', 'Q12, sc-W10: a failed run stamps the cooldown too');
select office.update_agent('cooldown/ann', '{"cooldown_sec": 0}');
select is(pg_temp.claim(), 'ann:user', 'Q12: … a shorter one holds at once');

-- Paused and stopped agents (sc-W12)

select pg_temp.scenario('paused', 'ann');
update office.agents set status = 'paused' where workspace_id = (select id from office.workspaces where name = 'paused');
select pg_temp.wake('ann') as w \gset
select is(pg_temp.claim() || pg_temp.runs(), 'ann:user:event:queued:1', 'Q13.2, sc-W12: a paused agent''s wake is accepted, and waits');
update office.agents set status = 'active' where workspace_id = (select id from office.workspaces where name = 'paused');
select is(pg_temp.claim(), 'ann:user', 'Q13.2, sc-W12: … and runs after it resumes');

select pg_temp.scenario('stopped', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.look();
update office.agents set status = 'stopped' where workspace_id = (select id from office.workspaces where name = 'stopped');
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:finished/agent_stopped:1', 'Q13.2, sc-W12: a stopped agent''s queued runs end at once');
select pg_temp.wake('ann') as w2 \gset
select pg_temp.look();
select is((pg_temp.run(:'w2')).outcome, 'agent_stopped', 'Q13.2, sc-W12: … later wakes too');
select is((pg_temp.wakeup(:'w2')).status || ' ' || (pg_temp.wakeup(:'w2')).reason, 'finished agent_stopped', 'Q10: … which finishes the wakeup');

-- The claim checks again: here no signal told it.
select pg_temp.scenario('stopped-unseen', 'ann', 'bob');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.wake('bob') as w2 \gset
select pg_temp.look();
update office.agents set status = 'stopped' where id = (pg_temp.run(:'w1')).agent_id;
update office.agents set status = 'paused' where id = (pg_temp.run(:'w2')).agent_id;
delete from office_internal.signals where agent_id in ((pg_temp.run(:'w1')).agent_id, (pg_temp.run(:'w2')).agent_id);
select is(pg_temp.claim() || pg_temp.runs(), 'ann:user:event:finished/agent_stopped:1, bob:user:event:queued:1', 'Q13.2: the claim looks at the agents again');

select pg_temp.scenario('deleted-agent', 'ann');
select pg_temp.wake('ann') as w1 \gset
delete from office.agents where workspace_id = (select id from office.workspaces where name = 'deleted-agent');
select is(pg_temp.claim() || pg_temp.runs(), 'ann:user:event:finished/agent_stopped:1', 'Q13.2: a deleted agent is stopped for good');

-- A paused workspace

select pg_temp.scenario('paused-workspace', 'ann');
select pg_temp.wake('ann');
update office_internal.gates set paused = true where workspace_id = (select id from office.workspaces where name = 'paused-workspace');
select is(pg_temp.claim() || pg_temp.runs(), 'ann:user:event:queued:1', 'Q12: nothing of a paused workspace is claimed');

-- Workers

select pg_temp.scenario('workers', 'ann');
select pg_temp.wake('ann');
select is((select count(c.run_id)::integer from office.claim_runs((select worker_id from office.register_worker('other', workspace => 'launch'))) as c), 0, 'Q11: a worker of another workspace gets nothing');
select is((select count(c.run_id)::integer from office.claim_runs((select worker_id from office.register_worker('anywhere')), 1) as c), 1, 'Q11: a worker of none gets what there is');
select is((pg_temp.refusal('select office.claim_runs(office.uuid7())')).state, 'PT404', 'Q11: an unknown worker is refused');
select office.drain_worker(current_setting('testing.worker')::uuid);
select is((pg_temp.refusal($$ select office.claim_runs(current_setting('testing.worker')::uuid) $$)).detail ->> 'code', 'worker_expired', 'Q11: … and one that ended');

-- A worker of one workspace is not told of what is due in others.
select pg_temp.scenario('not-mine', 'ann');
select office.update_agent('not-mine/ann', '{"cooldown_sec": 10}');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.finish(:'w');
select pg_temp.wake('ann');
select pg_temp.claim();
select pg_temp.scenario('mine', 'ann');
select pg_temp.claim();
select is((select c.next_due_at from office.claim_runs(current_setting('testing.worker')::uuid) as c), null, 'Q11: a worker of one workspace is told of its own times only');

-- Nothing to launch

select pg_temp.scenario('no-executor', 'ann');
update office.agents set executor = null where workspace_id = (select id from office.workspaces where name = 'no-executor');
select pg_temp.wake('ann') as w \gset
select is(pg_temp.claim() || (pg_temp.run(:'w')).status, 'blocked', 'Q13.8, Q23: a run without anything to launch is blocked');
select is((select i.kind from office.inbox_items as i where i.run_id = (pg_temp.run(:'w')).id), 'run.blocked', 'Q23: … with an inbox item');
select office.update_agent('no-executor/ann', '{"executor": {"command": ["/bin/echo"]}}');
select office.retry_run('r' || (pg_temp.run(:'w')).number);
select is(pg_temp.claim(), 'ann:user', 'P4: … and runs once it is mended and retried');

-- What was frozen stays (T13)
select pg_temp.scenario('frozen', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.look();
select office.update_agent('frozen/ann', '{"executor": {"command": ["/bin/false"]}}');
select is(
  (select c.executor from office.claim_runs(current_setting('testing.worker')::uuid) as c where c.run_id is not null), '{"command": ["/bin/true"]}',
  'Q13.8, T13: a run launches what it froze when it was made'
);

-- claim_error: one run's prompt cannot be built

create temporary table true_prompt as select pg_get_functiondef('office_internal.build_prompts(uuid[], integer[], text[], text[], boolean)'::regprocedure) as definition;
create or replace function office_internal.build_prompts(
  run_ids uuid[], attempt_numbers integer[], summaries text[], engine_sessions text[], live boolean default false
)
returns text[]
language plpgsql stable
as $$
begin
  if exists (select from office.runs as r join office.agents as a on a.id = r.agent_id where r.id = any(run_ids) and a.name = 'odd') then
    raise exception 'no words for %', run_ids;
  end if;
  return array_fill('a prompt'::text, array[cardinality(run_ids)]);
end
$$;
select pg_temp.scenario('claim-error', 'odd', 'ann', 'bob');
select office.update_agent('claim-error/odd', '{"executor": {"command": ["/bin/true"], "folder": "/srv/odd"}}');
select pg_temp.task('odd one', 'odd') as odd_task \gset
select pg_temp.look();
select id as odd from office.wakeups where task_id = pg_temp.task_id(:'odd_task') \gset
select testing.advance('1 second');
select pg_temp.wake('ann');
select pg_temp.look();
select testing.advance('1 second');
select pg_temp.wake('bob');
select is(pg_temp.claim(), 'ann:user, bob:user', 'Q13: a run whose step raises does not stop the others');
select is((pg_temp.run(:'odd')).status || ' ' || (pg_temp.run(:'odd')).retry_count, 'queued 1', 'Q13, Q18: … it is settled as a failed attempt');
select is(
  (select a.outcome || ' ' || (a.started_at is null) || ' ' || (a.error like 'claim_error: no words for %') from office.attempts as a where a.id = pg_temp.attempt(:'odd')), 'failed true true',
  'Q13: … claim_error, and never started'
);
select is((select count(*)::integer from office.checkouts as c where c.checkout_run_id = (pg_temp.run(:'odd')).id), 0, 'Q13: … and no lock is left');
select is((select l.active from office_internal.lanes as l where l.agent_id = (pg_temp.run(:'odd')).agent_id), 0, 'Q13: … nor capacity');
select is_empty(format('select from office.resources where run_id = %L', (pg_temp.run(:'odd')).id), 'P7, Q13: … nor a folder, which it would wait for itself');
-- Alone as well, until it gives up; a wakeup that joins it meanwhile is not carried on for ever.
select pg_temp.wake('odd', 'user', pg_temp.about(:'odd_task'));
do $$
begin
  for n in 1..4 loop
    perform testing.advance('3 hours');
    perform pg_temp.claim();
  end loop;
end
$$;
select is(
  (pg_temp.run(:'odd')).status || ' ' || (select count(*) from office.runs as r where r.agent_id = (pg_temp.run(:'odd')).agent_id), 'failed 1',
  'Q13, Q18: … the fifth time it gives up, and nothing follows'
);
select is((select i.kind from office.inbox_items as i where i.run_id = (pg_temp.run(:'odd')).id), 'agent.error', 'Q18: … with an inbox item');
do $$ begin execute (select definition from true_prompt); end $$;
select office.retry_run('r' || (pg_temp.run(:'odd')).number);
select is(pg_temp.claim(), 'odd:task_assigned', 'P4: … and runs when it is mended and retried');

select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
