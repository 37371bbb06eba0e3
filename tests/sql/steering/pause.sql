-- office.pause and office.resume: what a person holds back, and lets go (P1, P2). sc-D11
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(34);

-- A workspace: no new claims, live runs come back to the queue

select pg_temp.scenario('held', 'ann', 'bob', 'cat');
select pg_temp.wake('ann') as live \gset
select pg_temp.claim();
select pg_temp.start(:'live');
select pg_temp.wake('bob') as claimed \gset
select pg_temp.claim();
select pg_temp.wake('cat') as queued \gset
select pg_temp.look();
select is((select p.stopping from office.pause('workspace:held', 'month end') as p), 2, 'P1, sc-D11: live runs are asked to stop');
select is(pg_temp.claim(), '', 'P1, sc-D11: … and nothing is claimed');
select is((pg_temp.run(:'live')).stop_reason, 'paused', 'P1: … the run carries why');
select matches(
  (select string_agg(u.waiting_for, ', ') from office.up_next as u where u.run = 'r' || (pg_temp.run(:'queued')).number),
  'workspace held is paused: month end', 'S5: who waits says so'
);
select results_eq(
  format('select h.instruction from office.heartbeat(%L) as h', current_setting('testing.worker')), $$ values ('stop'), ('stop') $$,
  'P1: the heartbeat tells'
);
select pg_temp.finish(:'live');
select is((pg_temp.run(:'live')).status, 'queued', 'P1: whatever its program says, it is queued again');
select is((pg_temp.run(:'live')).stop_reason, null, 'P1: … and no longer stops');
select is((pg_temp.wakeup(:'live')).status, 'claimed', 'Q10: … its wakeup waits with it');
select pg_temp.fail(:'claimed');
select is((pg_temp.run(:'claimed')).status || (pg_temp.run(:'claimed')).retry_count, 'queued0', 'P1: … a failure counts no retry');
select is((select r.queued from office.resume('workspace:held') as r), 3, 'P1, sc-D11: resume says what waits');
select is(pg_temp.claim(), 'ann:user, bob:user, cat:user', 'P1, sc-D11: … and it goes on, in the old order');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- A stop overrides a pause; a dead worker's paused run is queued again

select pg_temp.scenario('both', 'ann', 'bob');
select pg_temp.wake('ann') as stopped \gset
select pg_temp.wake('bob') as paused \gset
select pg_temp.claim();
select pg_temp.start(:'stopped'), pg_temp.start(:'paused');
select office.pause('workspace:both');
select office.stop('r' || (pg_temp.run(:'stopped')).number);
select office.expire_worker(current_setting('testing.worker')::uuid);
select is((pg_temp.run(:'stopped')).result, 'stopped', 'P1: a stop overrides a pause');
select is((pg_temp.run(:'paused')).result, 'queued', 'P1: a paused run is queued also when its worker dies');

-- An agent: by function, and by a hand-written UPDATE

select pg_temp.scenario('agents', 'ann', 'bob');
select pg_temp.wake('ann') as live \gset
select pg_temp.claim();
select pg_temp.start(:'live');
select results_eq($$ select * from office.pause('agents/ann') $$, $$ values ('agents/ann', 0) $$, 'P1: an agent is paused without a gate');
select is((pg_temp.run(:'live')).status, 'running', 'A6: … its run does not know yet');
select pg_temp.look();
select is((pg_temp.run(:'live')).status, 'stopping', 'A6: … the dispatch asks it to stop');
select pg_temp.finish(:'live');
select pg_temp.wake('bob');
select is(pg_temp.claim(), 'bob:user', 'P1: … others go on');
select office.resume('agents/ann');
select is(pg_temp.claim(), 'ann:user', 'P1: … and so does it, once resumed');
update office.agents as a set status = 'paused' where a.id = (pg_temp.run(:'live')).agent_id;
select is((select a.paused_by from office.agents as a where a.id = (pg_temp.run(:'live')).agent_id), 'person', 'P1: who pauses by hand is a person');
select pg_temp.look();
select is((pg_temp.run(:'live')).status, 'stopping', 'P1: … and it is the same');
select office.resume('agents/ann');
select pg_temp.finish(:'live');
select pg_temp.claim();
update office.agents as a set status = 'paused', paused_by = 'failures' where a.id = (pg_temp.run(:'live')).agent_id;
select pg_temp.look();
select is((pg_temp.run(:'live')).status, 'claimed', 'P1: a pause by failures leaves live runs alone');
select office.stop('agents/ann');
select is((select p.state from pg_temp.refusal($$ select office.pause('agents/ann') $$) as p), 'PT409', 'P2: a stopped agent is not paused');
select office.resume('agents/ann');
select is((select a.status from office.agents as a where a.id = (pg_temp.run(:'live')).agent_id), 'active', 'P2: … but resumed');

-- Everything: workspaces that come later, too; each resume ends its own pause

select pg_temp.scenario('old', 'ann');
select office.pause('workspace:old', 'old reasons');
select office.pause('everything');
select pg_temp.scenario('new', 'ann');
select pg_temp.wake('ann');
select is(pg_temp.claim(), '', 'P1: what is made while everything is paused is paused');
select office.resume('everything');
select is(pg_temp.claim(), 'ann:user', 'P1: … until everything is resumed');
select is((select g.paused from office_internal.gates as g join office.workspaces as w on w.id = g.workspace_id where w.name = 'old'), true, 'P1: a workspace''s own pause stays');
select office.resume('workspace:old');
select is((select g.paused or g.paused_with_all from office_internal.gates as g join office.workspaces as w on w.id = g.workspace_id where w.name = 'old'), false, 'P1: … until it is resumed');

-- Everything is everything: a workspace that is deleted meanwhile keeps nothing paused

select pg_temp.scenario('gone', 'zed');
select pg_temp.scenario('stays', 'ann');
select office.pause('everything');
update office.workspaces set deleted_at = office.now() where name = 'gone';
select pg_temp.wake('ann');
select is(pg_temp.claim(), '', 'P1: everything is paused');
select office.resume('everything');
select is(pg_temp.claim(), 'ann:user', 'P1: … and resumed, though one workspace is there no more');

-- What cannot be

select is((select p.state from pg_temp.refusal($$ select office.pause('t99999') $$) as p), 'PT404', 'I2: unknown');
select is((select p.state from pg_temp.refusal(format('select office.pause(%L)', 'r' || (pg_temp.run(:'live')).number)) as p), 'PT422', 'P1: a run is stopped, not paused');
select is((select p.state from pg_temp.refusal($$ select office.resume('nobody') $$) as p), 'PT404', 'I2: an unknown agent');
select is_empty('select * from office.audit()', 'Q26: the books are right');

select * from finish();
rollback;
