-- office_internal.merge_wakeups: the claim-time merge, one row of its table after the other (Q4), the window (Q6), the run's key (Q7).
-- sc-W1 to sc-W5, sc-W8. That one dispatch for many does the same as many is proved in tests/python/model.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/deciding.psql
\set routine '''{"routine_id": "a0000000-0000-4000-8000-000000000001"}'''
\set by_hand '''{"routine_id": "a0000000-0000-4000-8000-000000000001", "fire": "manual"}'''
\set other_routine '''{"routine_id": "a0000000-0000-4000-8000-000000000002"}'''

select plan(64);

-- Row by row

select pg_temp.scenario('queued-event', 'ann');
select pg_temp.wake('ann', payload => '{"context": "first"}') as w1 \gset
select pg_temp.look();
select pg_temp.wake('ann', 'self', '{"reason": "second"}') as w2 \gset
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:queued:2', 'Q4, sc-W2: queued event + event → merged, reason unchanged, coalesced_count 2');
select is(
  (select array_agg(concat_ws(' ', w.status, w.position, w.run_id = (pg_temp.run(:'w1')).id) order by w.position) from office.wakeups as w where w.id in (:'w1', :'w2')),
  array['claimed 1 t', 'coalesced 2 t'],
  'Q4, sc-W2: … the wakeup is coalesced into the run'
);
select pg_temp.wake('ann', 'user', '{"context": "third"}') as w3 \gset
select pg_temp.look();
select results_eq(
  format($$
    select r.s ->> 'context', r.s ->> 'reason', (select array_agg(e.w ->> 'source' || ' ' || coalesce(e.w -> 'payload' ->> 'context', e.w -> 'payload' ->> 'reason') order by e.ordinality) from jsonb_array_elements(r.s -> 'wakeups') with ordinality as e (w))
    from (select office.context_snapshot(pg_temp.run(%L)) as s) as r
  $$, :'w1'),
  $$ values ('third', 'second', array['user first', 'self second', 'user third']) $$,
  'Q4, sc-W2: every payload is kept in order, the newest wins at the top'
);

select pg_temp.scenario('queued-event-tick', 'ann');
select pg_temp.wake('ann', 'routine', :by_hand);
select pg_temp.look();
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.look();
select is(pg_temp.runs(), 'ann:routine:event:queued:2', 'Q4, sc-W3: queued event + periodic → merged, class unchanged');

select pg_temp.scenario('queued-tick-tick', 'ann');
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.look();
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.look();
select is(pg_temp.runs(), 'ann:routine:periodic:queued:2', 'Q4: queued periodic + periodic → merged');
select pg_temp.wake('ann', 'user');
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:queued:3', 'Q4, sc-W3: queued periodic + event → merged, and the reason is promoted');
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.wake('ann', 'self', '{"reason": "x"}');
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:queued:5', 'Q4: … never back, and not to the next event');

select pg_temp.scenario('live-tick-event', 'ann');
select pg_temp.wake('ann', 'routine', :routine) as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', :by_hand) as w2 \gset
select pg_temp.look();
select is(
  pg_temp.runs(), 'ann:routine:periodic:claimed:1, ann:routine:event:queued:1', 'Q4, sc-W4: live periodic + event → untouched, and a fresh run'
);
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.look();
select is(pg_temp.runs(), 'ann:routine:periodic:claimed:1, ann:routine:event:queued:2', 'Q4: … which is the first candidate from then on');

select pg_temp.scenario('live-tick-tick', 'ann');
select pg_temp.wake('ann', 'routine', :routine) as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', :routine) as w2 \gset
select pg_temp.look();
select is(pg_temp.runs(), 'ann:routine:periodic:claimed:2', 'Q4, sc-W4: claimed periodic + periodic → coalesced into it');
select pg_temp.finish(:'w1');
select is(pg_temp.runs(), 'ann:routine:periodic:finished/succeeded:2', 'Q5: … a periodic wakeup that was not seen needs no follow-up');
select is((pg_temp.wakeup(:'w2')).status, 'coalesced', 'Q10: … its outcome is its run''s');

select pg_temp.scenario('live-event', 'ann');
select pg_temp.wake('ann', payload => '{"context": "first"}') as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann', payload => '{"context": "second"}') as w2 \gset
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:claimed:2', 'Q4, sc-W4: claimed event + event → coalesced into it');
select pg_temp.finish(:'w1');
select is(pg_temp.runs(), 'ann:user:event:finished/succeeded:1, ann:user:event:queued:1', 'Q5, sc-W4: … and one follow-up run after the end');
select is((pg_temp.wakeup(:'w2')).status || ' ' || (pg_temp.run(:'w2')).status, 'claimed queued', 'Q5: … carries it');
select ok(pg_temp.claim() = 'ann:user', 'Q5: … and is launched');
select is(
  (select position('second' in p.assembled_prompt) > 0 and position('first' in p.assembled_prompt) = 0 from office.attempt_prompts as p where p.attempt_id = pg_temp.attempt(:'w2')),
  true, 'Q5: … telling what was not seen, and only that'
);

-- A live event run takes what is periodic as well.
select pg_temp.scenario('live-event-tick', 'ann');
select pg_temp.wake('ann', 'routine', :by_hand) as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.look();
select is(pg_temp.runs(), 'ann:routine:event:claimed:2', 'Q4: live event + periodic → coalesced into it');

-- Every live status is one; stopping is none.
select pg_temp.scenario('states', 'ann', 'bob', 'cis', 'dan');
select pg_temp.wake('ann') as ann \gset
select pg_temp.wake('bob') as bob \gset
select pg_temp.wake('cis') as cis \gset
select pg_temp.wake('dan') as dan \gset
select pg_temp.claim();
select pg_temp.start(:'ann'), pg_temp.start(:'bob'), pg_temp.start(:'cis');
select pg_temp.ask(:'bob');
select (pg_temp.ask(:'cis')).decision as asked \gset
select pg_temp.leave(:'cis');
select office.answer(:'asked', 'yes');
select office.stop('r' || (pg_temp.run(:'dan')).number);
select pg_temp.wake('ann'), pg_temp.wake('bob'), pg_temp.wake('cis'), pg_temp.wake('dan');
select pg_temp.look();
select is(
  pg_temp.runs(),
  'ann:user:event:running:2, bob:user:event:waiting:2, cis:user:event:queued:2, dan:user:event:stopping:1, dan:user:event:queued:1',
  'Q4: running, waiting and answered runs are joined; what comes after a stop gets a fresh run'
);
select pg_temp.finish(:'dan');
select is((select r.result from office.result('r' || (pg_temp.run(:'dan')).number) as r), 'stopped', 'Q4: … and the stopped one ends stopped');

-- Several live ones: the youngest of class event.
select pg_temp.scenario('several', 'ann');
select office.update_agent('several/ann', '{"max_concurrent_sessions": 5}');
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', :by_hand);
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.look();
select is(
  pg_temp.runs(), 'ann:routine:periodic:claimed:1, ann:routine:event:claimed:2', 'Q4: of several live runs the youngest of class event is joined'
);

-- Ended runs are none.
select pg_temp.scenario('ended', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select pg_temp.finish(:'w1');
select pg_temp.wake('ann');
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:finished/succeeded:1, ann:user:event:queued:1', 'Q4: nothing joins a run that has ended');

-- Scopes

select pg_temp.scenario('scopes', 'ann', 'bob');
select pg_temp.task('first', 'ann') as first \gset
select pg_temp.task('second', 'ann') as second \gset
select pg_temp.look();
select is(pg_temp.runs(), 'ann:task_assigned:event:queued:1, ann:task_assigned:event:queued:1', 'Q4, sc-W5: two tasks of one agent → two runs');
select pg_temp.wake('ann', 'user', pg_temp.about(:'first'));
select pg_temp.wake('ann', 'user', pg_temp.about(:'second'));
select pg_temp.wake('ann', 'user');
select pg_temp.wake('bob', 'user', pg_temp.about(:'first'));
select pg_temp.look();
select is(
  pg_temp.runs(),
  'ann:task_assigned:event:queued:2, ann:task_assigned:event:queued:2, ann:user:event:queued:1, bob:user:event:queued:1',
  'Q4: different scopes and different agents never merge'
);

select pg_temp.scenario('routines', 'ann');
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.wake('ann', 'routine', :other_routine);
select pg_temp.look();
select is(pg_temp.runs(), 'ann:routine:periodic:queued:1, ann:routine:periodic:queued:1', 'Q4: two routines of one agent → two runs');
select pg_temp.wake('ann', 'user') as w \gset
select pg_temp.look();
select is(
  pg_temp.runs(), 'ann:user:event:queued:2, ann:routine:periodic:queued:1',
  'Q4: a taskless request of no routine joins the oldest taskless queued run'
);
select is((pg_temp.run(:'w')).routine_id, 'a0000000-0000-4000-8000-000000000001'::uuid, 'Q4: … whose routine stays what it was');
select pg_temp.wake('ann', 'routine', :other_routine);
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:queued:2, ann:routine:periodic:queued:2', 'Q4: a routine''s request joins its own run only');

select pg_temp.scenario('scope-none-first', 'ann');
select pg_temp.wake('ann', 'user');
select pg_temp.look();
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:queued:1, ann:routine:periodic:queued:1', 'Q4: a routine''s request does not join the run of no scope');
select pg_temp.claim(1);
select pg_temp.wake('ann', 'self', '{"reason": "x"}');
select pg_temp.look();
select is(
  pg_temp.runs(), 'ann:user:event:claimed:1, ann:self:event:queued:2', 'Q4: the taskless queued run comes before the live one of the same scope'
);

select pg_temp.scenario('none-first', 'ann');
select pg_temp.wake('ann', 'routine', :routine);
select pg_temp.look();
update office.runs set requested_at = requested_at - interval '1 hour' where id in (select r.id from office.runs as r join office.agents as a on a.id = r.agent_id where r.status = 'queued' and a.workspace_id = (select id from office.workspaces where name = 'none-first'));
select pg_temp.claim();
select pg_temp.wake('ann', 'user') as none \gset
select pg_temp.wake('ann', 'routine', :other_routine);
select pg_temp.look();
select pg_temp.wake('ann', 'user') as w \gset
select pg_temp.look();
select is((pg_temp.run(:'w')).id, (pg_temp.run(:'none')).id, 'Q4: of the taskless queued runs that of no scope comes first');

select pg_temp.scenario('with-task', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.look();
select pg_temp.wake('ann', 'user');
select pg_temp.look();
select is(
  pg_temp.runs(), 'ann:task_assigned:event:queued:1, ann:user:event:queued:1', 'Q4: a taskless request joins no run of a task'
);

-- Solo

select pg_temp.scenario('solo', 'ann');
select pg_temp.message('ann', 'one');
select pg_temp.message('ann', 'two');
select pg_temp.look();
select pg_temp.wake('ann', 'user');
select pg_temp.look();
select is(
  pg_temp.runs(), 'ann:message:event:queued:1, ann:message:event:queued:1, ann:user:event:queued:1',
  'Q4: messages neither merge nor are merged into'
);
select throws_ok(
  $$
    insert into office.runs (workspace_id, agent_id, reason, class, requested_at)
    select workspace_id, agent_id, reason, class, requested_at from office.runs where reason = 'user' and status = 'queued' limit 1
  $$,
  '23505', null, 'Q4: at most one queued run an agent and scope, by index'
);

-- At most one: what would make a second merges, the older stays

select pg_temp.scenario('retry-absorbs', 'ann');
select pg_temp.wake('ann', 'routine', :routine) as tick \gset
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', :by_hand) as fresh \gset
select pg_temp.look();
select pg_temp.fail(:'tick');
select is(
  pg_temp.runs(), 'ann:routine:event:queued:2, ann:routine:event:cancelled/merged:0',
  'Q4: a retry takes in the run that came meanwhile, with its class and reason; the younger ends merged'
);
select is(
  (select array_agg(concat_ws(' ', w.status, w.position, r.parked) order by w.position) from office.wakeups as w join office.runs as r on r.id = w.run_id where w.id in (:'tick', :'fresh')),
  array['claimed 1', 'coalesced 2'],
  'Q4, Q5, Q21: … and its wakeups, behind those it has; a person''s among them does not wait behind the back-off'
);

select pg_temp.scenario('retry-absorbs-webhook', 'ann');
select pg_temp.wake('ann', 'routine', :routine) as tick \gset
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', replace(:by_hand, 'manual', 'webhook')::jsonb) as fresh \gset
select pg_temp.look();
select pg_temp.fail(:'tick');
select is(
  (select array_agg(concat_ws(' ', w.status, w.position, r.parked) order by w.position) from office.wakeups as w join office.runs as r on r.id = w.run_id where w.id in (:'tick', :'fresh')),
  array['claimed 1 retry', 'coalesced 2 retry'],
  'Q4, Q18: … where no person is among them the back-off stays'
);

select pg_temp.scenario('older-stays', 'ann');
select office.update_agent('older-stays/ann', '{"max_concurrent_sessions": 2}');
select pg_temp.wake('ann', 'routine', :routine) as tick \gset
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', :by_hand) as fresh \gset
select pg_temp.claim();
select pg_temp.fail(:'tick');
select pg_temp.fail(:'fresh');
select is(
  pg_temp.runs(), 'ann:routine:event:queued:2, ann:routine:event:cancelled/merged:0',
  'Q4: the older stays also when the younger comes back later'
);
select is(
  (select array_agg(concat_ws(' ', w.status, w.position) order by w.position) from office.wakeups as w where w.run_id = (pg_temp.run(:'tick')).id),
  array['claimed 1', 'coalesced 2'], 'Q4: … with the wakeups of both'
);

select pg_temp.scenario('lost-lease', 'ann');
select office.update_agent('lost-lease/ann', '{"max_concurrent_sessions": 2}');
select pg_temp.wake('ann', 'routine', :routine) as tick \gset
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', :by_hand) as fresh \gset
select pg_temp.claim();
select office.expire_worker(current_setting('testing.worker')::uuid);
select is(
  pg_temp.runs(), 'ann:routine:event:queued:2, ann:routine:event:cancelled/merged:0', 'Q4: two unstarted runs of a lost lease become one'
);

select pg_temp.scenario('persons-retry', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select pg_temp.fail(:'w1', 'no such program', 'configuration');
select pg_temp.wake('ann', 'self', '{"reason": "x"}') as w2 \gset
select pg_temp.look();
select office.retry_run('r' || (pg_temp.run(:'w1')).number);
select is(
  pg_temp.runs(), 'ann:self:event:queued:2, ann:self:event:cancelled/merged:0', 'Q4: a person''s retry takes in the run that came meanwhile'
);
select is(pg_temp.claim(), 'ann:self', 'Q4: … and is launched once');
select pg_temp.finish(:'w1');
select is(
  (pg_temp.wakeup(:'w1')).status || ' ' || (pg_temp.wakeup(:'w2')).status, 'finished coalesced', 'Q10: … for both wakeups'
);

select pg_temp.scenario('younger-retried', 'ann');
select office.update_agent('younger-retried/ann', '{"max_concurrent_sessions": 2}');
select pg_temp.wake('ann', 'routine', :routine) as tick \gset
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', :by_hand) as fresh \gset
select pg_temp.claim();
select pg_temp.fail(:'fresh', 'no such program', 'configuration');
select pg_temp.fail(:'tick');
select office.retry_run('r' || (pg_temp.run(:'fresh')).number);
select is(
  pg_temp.runs(), 'ann:routine:event:queued:2, ann:routine:event:cancelled/merged:0', 'Q4: a younger run that is retried ends in the older one'
);
select is((pg_temp.wakeup(:'fresh')).status, 'coalesced', 'Q4: … and its wakeup waits there');

-- Q5: a follow-up merges into the scope's queued run
select pg_temp.scenario('follow-up-merges', 'ann');
select office.update_agent('follow-up-merges/ann', '{"max_concurrent_sessions": 2}');
select pg_temp.wake('ann', 'routine', :by_hand) as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann', 'routine', :by_hand) as w2 \gset
select pg_temp.look();
update office.runs set class = 'periodic' where id = (pg_temp.run(:'w1')).id;
select pg_temp.wake('ann', 'routine', :by_hand) as w3 \gset
select pg_temp.look();
select pg_temp.finish(:'w1');
select is(
  pg_temp.runs(), 'ann:routine:periodic:finished/succeeded:1, ann:routine:event:queued:2', 'Q4, Q5: what was not seen joins the run that is queued already'
);
select is(
  (select array_agg((w.id = :'w3')::text || ' ' || w.position order by w.position) from office.wakeups as w where w.run_id = (pg_temp.run(:'w3')).id),
  array['true 1', 'false 2'], 'Q5: … behind what that has'
);

-- Q6, sc-W8

select pg_temp.scenario('window', 'ann');
select pg_temp.task('parent', 'ann') as parent \gset
select pg_temp.look();
select pg_temp.claim();
select pg_temp.finish(w.id) from office.wakeups as w where w.task_id = pg_temp.task_id(:'parent');
select pg_temp.wake('ann', 'task_children_completed', pg_temp.about(:'parent')) as w1 \gset
select pg_temp.look();
select testing.advance('3 seconds');
select pg_temp.wake('ann', 'task_children_completed', pg_temp.about(:'parent')) from generate_series(1, 4);
select is(pg_temp.claim(), '', 'Q6, sc-W8: not claimable before the window has passed …');
select is((pg_temp.run(:'w1')).coalesced_count || ' ' || (pg_temp.run(:'w1')).parked, '5 window', 'Q6, sc-W8: five requests → one run, coalesced_count 5');
select is(
  (select c.next_due_at from office.claim_runs(current_setting('testing.worker')::uuid) as c where c.run_id is null),
  office.now() + interval '2 seconds', 'Q6: the claim says when to ask again: 5 s after the first'
);
select testing.advance('1.9 seconds');
select is(pg_temp.claim(), '', 'Q6: … not a moment before');
select testing.advance('0.1 seconds');
select is(pg_temp.claim(), 'ann:task_children_completed', 'Q6, sc-W8: … and claimable then');
select pg_temp.wake('ann', 'task_children_completed', pg_temp.about(:'parent')) as late \gset
select pg_temp.look();
select pg_temp.finish(:'w1');
select testing.advance('5 seconds');
select is(pg_temp.claim() || ' ' || (pg_temp.run(:'late')).coalesced_count, 'ann:task_children_completed 1', 'Q6, sc-W8: one after the claim is heard of in a follow-up run');

select pg_temp.scenario('five-parents', 'ann');
select array_agg(pg_temp.task('parent ' || n, 'ann')) from generate_series(1, 5) as n;
select pg_temp.look();
update office.runs set status = 'cancelled' where status = 'queued' and agent_id = (select id from office.agents where name = 'ann' and workspace_id = (select id from office.workspaces where name = 'five-parents'));
select pg_temp.wake('ann', 'task_children_completed', pg_temp.about('t' || t.number))
from office.tasks as t where t.workspace_id = (select id from office.workspaces where name = 'five-parents');
select pg_temp.look();
select is(
  (select count(*)::integer from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'five-parents' and r.status = 'queued' and r.parked = 'window'),
  5, 'Q6, sc-W8: five parents of one agent → five runs'
);

select pg_temp.scenario('window-cleared', 'ann');
select pg_temp.task('parent', 'ann') as parent \gset
select pg_temp.look();
update office.runs set status = 'cancelled' where task_id = pg_temp.task_id(:'parent');
select pg_temp.wake('ann', 'task_blockers_resolved', pg_temp.about(:'parent', '{"resolved_blocker_ids": []}')) as w1 \gset
select pg_temp.look();
select is((pg_temp.run(:'w1')).parked, 'window', 'Q6: blockers gather as well');
select pg_temp.wake('ann', 'user', pg_temp.about(:'parent'));
select is(pg_temp.claim(), 'ann:task_blockers_resolved', 'Q6: any other source clears the window of the run that it merges into');
select pg_temp.scenario('no-window', 'ann');
select office.set_setting('coalescing_window_seconds', '0', 'no-window');
select pg_temp.task('parent', 'ann') as parent \gset
select pg_temp.look();
update office.runs set status = 'cancelled' where task_id = pg_temp.task_id(:'parent');
select pg_temp.wake('ann', 'task_children_completed', pg_temp.about(:'parent'));
select is(pg_temp.claim(), 'ann:task_children_completed', 'Q6: the window is a setting of the workspace');

-- Q7

select pg_temp.scenario('run-keys', 'ann');
select pg_temp.wake('ann', key => 'k') as first \gset
select pg_temp.look();
select is((pg_temp.run(:'first')).idempotency_key, 'k', 'Q7: a run has the key of the wakeup that made it');
select pg_temp.wake('ann', key => 'l') as second \gset
select pg_temp.look();
select is((pg_temp.run(:'first')).idempotency_key, 'k', 'Q7: … and not of one that joined');
update office.runs set status = 'finished' where id = (pg_temp.run(:'first')).id;
-- As when the wakeup's row was cleared away after a day, and the run's was not.
update office.wakeups set idempotency_key = null where id = :'first';
select pg_temp.wake('ann', key => 'k') as again \gset
select pg_temp.wake('ann') as next \gset
select lives_ok('select pg_temp.look()', 'Q7: the same key once more raises nothing');
select is(
  (pg_temp.wakeup(:'again')).status || ' ' || ((pg_temp.run(:'again')).id = (pg_temp.run(:'first')).id), 'coalesced true', 'Q7: … it is coalesced into the run of that key'
);
select is((pg_temp.run(:'next')).status, 'queued', 'Q7: … and takes nobody else with it');

-- Depth

select pg_temp.scenario('depth', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.wake('ann') as w2 \gset
update office.wakeups set depth = 3 where id = :'w2';
select pg_temp.look();
select is((pg_temp.run(:'w1')).depth, 3, 'Q27: a run is as deep as the deepest of its causes');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
