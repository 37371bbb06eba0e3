-- S5: why a queued run waits: each reason, said with the command that lifts it; and the command, typed, lifts it.
begin;
set local search_path = tap, public;
\ir ../support/session.psql
select plan(52);
select testing.install_clock();

-- Two workspaces with agents of the same names, so that a command must say which it means.
select w.workspace from unnest(array['acme', 'bolt']) as n, office.create_workspace(n) as w;
select a.agent from unnest(array['acme', 'bolt']) as w, unnest(array['ann', 'bob']) as n,
  office.create_agent(n, executor => '{"command": ["/bin/true"]}', workspace => w) as a;
create temporary table worker as select worker_id as id from office.register_worker('box', max_runs => 50);

create function pg_temp.run_of(title text) returns office.runs language sql stable
as $$ select r from office.runs as r join office.tasks as t on t.id = r.task_id where t.title = run_of.title order by r.number desc limit 1 $$;
create function pg_temp.claim(n integer default 20) returns setof text language sql
as $$ select c.task from office.claim_runs((select id from worker), n) as c where c.run_id is not null $$;
create function pg_temp.reason(title text) returns text language sql
as $$ select f.reason from office.waiting_for((pg_temp.run_of(title)).id) as f limit 1 $$;
create function pg_temp.number(title text) returns text language sql
as $$ select 't' || number from office.tasks as t where t.title = number.title $$;
-- Types the command, and dispatches and claims as workers do.
create function pg_temp.lift(title text) returns text language plpgsql
as $$
declare
  v_lift text := (select f.lift from office.waiting_for((pg_temp.run_of(title)).id) as f limit 1);
begin
  execute v_lift;
  perform office.dispatch();
  return v_lift;
end
$$;

-- Nothing: it is next.
select from office.create_task('free', assignee => 'acme/ann');
select office.dispatch() as taken \gset
select is_empty($$ select * from office.waiting_for((pg_temp.run_of('free')).id) $$, 'S5: a run that can be claimed waits for nothing');
select is((select waiting_for from office.up_next where title = 'free'), 'nothing: it is next', 'S5: and up_next says so');
select is((select count(*) from pg_temp.claim(1)), 1::bigint, 'S5: it is claimed');
select is_empty($$ select * from office.waiting_for((pg_temp.run_of('free')).id) $$, 'S5: what is claimed waits for nothing');

-- Capacity.
select from office.create_task('second', assignee => 'acme/ann');
select office.dispatch() as taken \gset
select is(pg_temp.reason('second'), 'ann has 1 of 1 runs going', 'S5: the agent is at capacity');
select is((select count(*) from pg_temp.claim()), 0::bigint, 'S5: and the claim refuses it');
select is((select lift like '%''acme/ann''%' from office.up_next where title = 'second'), true, 'I2: the command says whose agent');
select lives_ok($$ select pg_temp.lift('second') $$, 'S5: capacity: its command can be typed');
select set_eq('select pg_temp.claim()', $$ select pg_temp.number('second') $$, 'S5: capacity: and lifts it');

-- Cooldown.
select from office.update_agent('acme/ann', '{"max_concurrent_sessions": 1, "cooldown_sec": 60}');
select from office.create_task('third', assignee => 'acme/ann');
select office.dispatch() as taken \gset
select a.status from office.runs as r, office.finish_attempt(r.attempt_id) as a where r.status = 'claimed';
select office.dispatch() as taken \gset
select is(pg_temp.reason('third'), 'ann cools down', 'S5: the agent cools down');
select is((select until from office.up_next where title = 'third'), office.now() + interval '1 minute', 'S5: until then');
select is((select count(*) from pg_temp.claim()), 0::bigint, 'S5: and the claim refuses it');
select lives_ok($$ select pg_temp.lift('third') $$, 'S5: cooldown: its command can be typed');
select set_eq('select pg_temp.claim()', $$ select pg_temp.number('third') $$, 'S5: cooldown: and lifts it');

-- Pause.
update office.agents as a set status = 'paused', status_reason = 'holidays' from office.workspaces as w
where w.id = a.workspace_id and w.name = 'acme' and a.name = 'bob';
select from office.create_task('fourth', assignee => 'acme/bob');
select office.dispatch() as taken \gset
select is(pg_temp.reason('fourth'), 'bob is paused: holidays', 'S5: the agent is paused, and why');
select is((select count(*) from pg_temp.claim()), 0::bigint, 'S5: and the claim refuses it');
select lives_ok($$ select pg_temp.lift('fourth') $$, 'S5: pause: its command can be typed');
select set_eq('select pg_temp.claim()', $$ select pg_temp.number('fourth') $$, 'S5: pause: and lifts it');

-- Slots.
select from office.update_agent('bolt/ann', '{"max_concurrent_sessions": 9, "cooldown_sec": 0}');
select t.task from generate_series(1, 4) as n, office.create_task('slot ' || n, assignee => 'bolt/ann') as t;
select count(*) as claimed from pg_temp.claim() \gset
select is(:claimed, 3, 'S1: three slots');
select is(
  (select waiting_for from office.up_next where workspace = 'bolt'),
  'every slot of workspace bolt is in use (3)', 'S5: every slot is in use'
);
select title as last from office.up_next where workspace = 'bolt' \gset
select lives_ok(format('select pg_temp.lift(%L)', :'last'), 'S5: slots: its command can be typed');
select set_eq('select pg_temp.claim()', format('select pg_temp.number(%L)', :'last'), 'S5: slots: and lifts it');
select office.set_setting('max_concurrent_runs', '8', 'bolt');
select t.task from generate_series(5, 9) as n, office.create_task('slot ' || n, assignee => 'bolt/ann') as t;
select count(*) as claimed from pg_temp.claim() \gset
select is((select lift from office.up_next where workspace = 'bolt'), null, 'S1: with eight slots there is no more to be had');
select a.status from office.runs as r, office.finish_attempt(r.attempt_id) as a where r.status = 'claimed';
select testing.advance('5 minutes');
select count(*) as claimed from pg_temp.claim() \gset
select a.status from office.runs as r, office.finish_attempt(r.attempt_id) as a where r.status = 'claimed';

-- Blockers and snooze, that came after the run.
select testing.advance('5 minutes');
select from office.create_task('stone', workspace => 'acme');
select from office.create_task('rock', workspace => 'acme');
select from office.create_task('fifth', assignee => 'acme/bob');
select office.dispatch() as taken \gset
insert into office.task_blockers (workspace_id, task_id, blocker_task_id)
select t.workspace_id, t.id, b.id from office.tasks as t, office.tasks as b where t.title = 'fifth' and b.title in ('stone', 'rock');
select office.dispatch() as taken \gset
select is(
  pg_temp.reason('fifth'), format('task %s waits for %s "stone", %s "rock"', pg_temp.number('fifth'), pg_temp.number('stone'), pg_temp.number('rock')),
  'S5: the task is blocked, and by what'
);
select is((select count(*) from pg_temp.claim()), 0::bigint, 'S5: and the claim refuses it');
select lives_ok($$ select pg_temp.lift('fifth') $$, 'S5: blockers: its command can be typed');
select is(pg_temp.reason('fifth'), format('task %s waits for %s "rock"', pg_temp.number('fifth'), pg_temp.number('rock')), 'S5: blockers: it lifts the first');
select lives_ok($$ select pg_temp.lift('fifth') $$, 'S5: blockers: then the next');
select set_eq('select pg_temp.claim()', $$ select pg_temp.number('fifth') $$, 'S5: blockers: and then it is claimed');
select a.status from office.runs as r, office.finish_attempt(r.attempt_id) as a where r.status = 'claimed';
select testing.advance('5 minutes');
select from office.create_task('sixth', assignee => 'acme/bob');
update office.tasks set snoozed_until = office.now() + interval '1 day' where title = 'sixth';
select office.dispatch() as taken \gset
select is(pg_temp.reason('sixth'), format('task %s is snoozed', pg_temp.number('sixth')), 'S5: the task is snoozed');
select is((select until from office.up_next where title = 'sixth'), office.now() + interval '1 day', 'S5: until then');
select is((select count(*) from pg_temp.claim()), 0::bigint, 'S5: and the claim refuses it');
select lives_ok($$ select pg_temp.lift('sixth') $$, 'S5: snooze: its command can be typed');
select set_eq('select pg_temp.claim()', $$ select pg_temp.number('sixth') $$, 'S5: snooze: and lifts it');

-- Retry.
select f.status from office.runs as r, office.fail_attempt(r.attempt_id, 'broke') as f where r.status = 'claimed';
select testing.advance('1 minute');
select is(pg_temp.reason('sixth'), 'its retry is due', 'S5: its retry is due');
select is((select until from office.up_next where title = 'sixth'), (pg_temp.run_of('sixth')).scheduled_retry_at, 'S5: at that time');
select is((select count(*) from pg_temp.claim()), 0::bigint, 'S5: and the claim refuses it');
select lives_ok($$ select pg_temp.lift('sixth') $$, 'S5: retry: its command can be typed');
select set_eq('select pg_temp.claim()', $$ select pg_temp.number('sixth') $$, 'Q21 S5: retry: and lifts it');

-- The lock of a task.
insert into office.task_participants (workspace_id, task_id, agent_id, role)
select t.workspace_id, t.id, a.id, 'reviewer' from office.tasks as t join office.agents as a on a.workspace_id = t.workspace_id and a.name = 'ann'
where t.title = 'sixth';
select from office.wake('acme/ann', 'review_requested', jsonb_build_object('task_id', pg_temp.number('sixth'), 'role', 'reviewer', 'round', 1));
select office.dispatch() as taken \gset
select is(
  pg_temp.reason('sixth'),
  format('task %s is locked by r%s', pg_temp.number('sixth'), (select number from office.runs where status = 'claimed')), 'S5: the task is locked, and by which run'
);
select lives_ok($$ select pg_temp.lift('sixth') $$, 'S5: lock: its command can be typed');
select a.status from office.runs as r, office.finish_attempt(r.attempt_id) as a where r.status = 'stopping';
select set_eq('select pg_temp.claim()', $$ select pg_temp.number('sixth') $$, 'S5: lock: and lifts it, once the program has stopped');


-- A command lifts what it stands beside, also where more goes on than the limits of today allow.
select office.expire_worker(id) from worker;
select from office.create_workspace('cut');
select from office.set_setting('max_concurrent_runs', '8', 'cut');
select a.agent
from unnest(array['ann', 'bob']) as n,
  office.create_agent(n, executor => '{"command": ["/bin/true"]}', workspace => 'cut', cooldown_sec => 0, max_concurrent_sessions => 3) as a;
create temporary table cutter as select worker_id as id from office.register_worker('box', max_runs => 50, workspace => 'cut');
create function pg_temp.claim_cut() returns setof text language sql
as $$ select c.agent || ' ' || c.reason from office.claim_runs((select id from cutter), 20) as c where c.run_id is not null $$;
create function pg_temp.waits_cut() returns office.up_next language sql as $$ select u from office.up_next as u where u.workspace = 'cut' $$;
select w.wakeup_id
from generate_series(1, 3) as n, office.wake('cut/ann', 'message', jsonb_build_object('session_id', pg_temp.session('ann', 'cut'), 'text', n::text)) as w;
select count(*) as claimed from pg_temp.claim_cut() \gset
select from office.update_agent('cut/ann', '{"max_concurrent_sessions": 1}');
select from office.wake('cut/ann', 'message', jsonb_build_object('session_id', pg_temp.session('ann', 'cut'), 'text', 'x'));
select office.dispatch('cut') as taken \gset
select is((pg_temp.waits_cut()).waiting_for, 'ann has 3 of 1 runs going', 'S5: an agent that may do less than it does');
select (pg_temp.waits_cut()).lift \gset
:lift
select set_eq('select pg_temp.claim_cut()', array['ann message'], 'S5: … may do one more by what is beside it');
select from office.set_setting('max_concurrent_runs', '1', 'cut');
select from office.wake('cut/bob', 'message', jsonb_build_object('session_id', pg_temp.session('bob', 'cut'), 'text', 'x'));
select office.dispatch('cut') as taken \gset
select is((pg_temp.waits_cut()).waiting_for, 'every slot of workspace cut is in use (1)', 'S5: a workspace that has fewer slots than runs');
select (pg_temp.waits_cut()).lift \gset
:lift
select set_eq('select pg_temp.claim_cut()', array['bob message'], 'S5: … has one more by what is beside it');
-- A run that merges with none is brought forward itself.
select f.status from office.runs as r, office.fail_attempt(r.attempt_id, 'broke') as f
where r.status = 'claimed' and r.agent_id = (select a.id from office.agents as a join office.workspaces as w on w.id = a.workspace_id
  where w.name = 'cut' and a.name = 'bob');
select is((pg_temp.waits_cut()).waiting_for, 'its retry is due', 'S5: a message that is tried again later');
select (pg_temp.waits_cut()).lift \gset
:lift
select set_eq('select pg_temp.claim_cut()', array['bob message'], 'S5: … is tried now by what is beside it');
-- A workspace's reason for its pause is its own.
select from office.pause('workspace:cut', 'moving house');
select from office.pause('everything', 'fire');
select from office.resume('everything');
select from office.wake('cut/bob');
select office.dispatch('cut') as taken \gset
select is((pg_temp.waits_cut()).waiting_for, 'workspace cut is paused: moving house', 'P1: what everything was paused for is not the workspace''s reason');
select from office.resume('workspace:cut');
select from office.set_setting('max_concurrent_runs', '8', 'cut');
select office.dispatch('cut') as taken \gset
-- A worker that claims elsewhere, or claims no more, is no help.
update office.workers set draining = true where id = (select id from cutter);
select from office.register_worker('box', workspace => 'acme');
select testing.advance('61 seconds');
update office.workers set lease_until = office.now() + interval '1 minute' where ended_at is null;
select is((pg_temp.waits_cut()).waiting_for, 'no worker lives', 'S5: who claims elsewhere, or claims no more, is no worker of this workspace''s');
select is(
  (select string_agg(s.kind || ': ' || s.mend, ', ') from office.stuck as s where s.workspace = 'cut' and s.kind in ('no worker', 'not claimed')),
  'no worker: officectl serve', 'I4: stuck says so, and not that a worker lets it lie'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
