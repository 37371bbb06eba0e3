-- T5: what a task's move wakes. sc-T3, sc-T4, sc-T5, sc-T11
begin;
set local search_path = tap, public;
select plan(27);
select testing.install_clock();

select a.agent from unnest(array['ann', 'bob']) as n, office.create_agent(n, executor => '{"command": ["/bin/true"]}', cooldown_sec => 0, max_concurrent_sessions => 8) as a;
select office.set_setting('max_concurrent_runs', '8');

create function pg_temp.id(task text) returns uuid language sql as $$ select id from office.tasks where 't' || number = task $$;
create view pg_temp.wakes as
select 't' || t.number as task, a.name as agent, w.source, w.payload, w.status, w.position
from office.wakeups as w
join office.agents as a on a.id = w.agent_id
join office.tasks as t on t.id = w.task_id;

-- Started: proposed to todo, and to in_progress, each by another way in.
select task as idea from office.create_task('idea', assignee => 'ann', state => 'proposed') \gset
select office.dispatch() as taken \gset
select is((select count(*) from pg_temp.wakes where task = :'idea'), 0::bigint, 'T4: a proposed task wakes nobody');
select from office.move_task(:'idea', 'todo');
select office.dispatch() as taken \gset
select results_eq(
  format('select agent, source from pg_temp.wakes where task = %L', :'idea'), $$ values ('ann', 'task_assigned') $$,
  'T5: proposed to todo wakes the assignee'
);
update office.tasks set state = 'in_progress' where id = pg_temp.id(:'idea');
select office.dispatch() as taken \gset
select is((select count(*) from pg_temp.wakes where task = :'idea'), 2::bigint, 'T5 sc-T5: to in_progress by a plain UPDATE wakes, with another key');
select from office.move_task(:'idea', 'todo');
update office.tasks as t set stage_id = s.id
from office.stages as s where s.workflow_id = t.workflow_id and s.name = 'In Progress' and t.id = pg_temp.id(:'idea');
select office.dispatch() as taken \gset
select is((select count(*) from pg_temp.wakes where task = :'idea'), 3::bigint, 'T5 sc-T5: a drag on the board wakes as the function does');

-- Blockers: dependants are woken when the last has ended, cancelled ones named apart.
select task as b1 from office.create_task('b1') \gset
select task as b2 from office.create_task('b2') \gset
select task as b3 from office.create_task('b3') \gset
select task as b4 from office.create_task('b4') \gset
select task as dependant from office.create_task('dependant', assignee => 'bob', blocked_by => array[:'b1', :'b2', :'b3', :'b4']) \gset
select task as nobodys from office.create_task('nobody''s', blocked_by => array[:'b1']) \gset
select from office.move_task(:'b1', 'done');
select office.dispatch() as taken \gset
select from office.move_task(:'b2', 'cancelled');
select from office.archive_task(:'b3');
select office.dispatch() as taken \gset
select is((select count(*) from pg_temp.wakes where task = :'dependant'), 0::bigint, 'T5: not while one blocker is open');
select from office.delete_task(:'b4');
select office.dispatch() as taken \gset
select results_eq(
  format('select agent, source from pg_temp.wakes where task = %L', :'dependant'),
  $$ values ('bob', 'task_blockers_resolved') $$, 'T5 sc-T3: done, cancelled, archived, deleted: the last end wakes, once'
);
select set_eq(
  format($$ select e from pg_temp.wakes, jsonb_array_elements_text(payload -> 'resolved_blocker_ids') as e where task = %L $$, :'dependant'),
  format('values (%L)', pg_temp.id(:'b1')), 'T5: resolved_blocker_ids names what was done'
);
select set_eq(
  format($$ select e from pg_temp.wakes, jsonb_array_elements_text(payload -> 'cancelled_blocker_ids') as e where task = %L $$, :'dependant'),
  format('values (%L), (%L), (%L)', pg_temp.id(:'b2'), pg_temp.id(:'b3'), pg_temp.id(:'b4')),
  'T5 sc-T3: what was not done is named apart'
);
select is((select count(*) from pg_temp.wakes where task = :'nobodys'), 0::bigint, 'T5: a dependant without an assignee wakes nobody');
-- Two last blockers in one transaction: one wake.
select task as c1 from office.create_task('c1') \gset
select task as c2 from office.create_task('c2') \gset
select task as twice from office.create_task('twice', assignee => 'bob', blocked_by => array[:'c1', :'c2']) \gset
select office.dispatch() as taken \gset
update office.tasks set state = 'done' where id in (pg_temp.id(:'c1'), pg_temp.id(:'c2'));
select office.dispatch() as taken \gset
select is((select count(*) from pg_temp.wakes where task = :'twice'), 1::bigint, 'T5 sc-T3: two blockers ended by one bulk statement are one wake');

-- Children: the parent's assignee, or an inbox item.
select task as parent from office.create_task('parent', assignee => 'bob') \gset
select task as orphan from office.create_task('orphan') \gset
select task as k1 from office.create_task('k1', parent => :'parent') \gset
select task as k2 from office.create_task('k2', parent => :'parent') \gset
select task as k3 from office.create_task('k3', parent => :'orphan') \gset
select from office.move_task(:'k1', 'done');
select office.dispatch() as taken \gset
select is(
  (select count(*) from pg_temp.wakes where task = :'parent' and source = 'task_children_completed'), 0::bigint, 'T5: not while a child is open'
);
select testing.advance('1 second');
select from office.move_task(:'k2', 'cancelled');
select from office.move_task(:'k3', 'done');
select office.dispatch() as taken \gset
select results_eq(
  format($$ select agent, payload from pg_temp.wakes where task = %L and source = 'task_children_completed' $$, :'parent'),
  format($$ values ('bob', jsonb_build_object('task_id', %L)) $$, pg_temp.id(:'parent')),
  'T5 sc-T4: all children ended, done or cancelled: one wake of the parent''s assignee'
);
select results_eq(
  $$ select task, kind from office.inbox $$, format($$ values (%L, 'task.parts_ended') $$, :'orphan'),
  'T5: a parent without an assignee is an inbox item'
);
select testing.advance('1 second');
select from office.move_task(:'k1', 'todo');
select from office.move_task(:'k1', 'done');
select office.dispatch() as taken \gset
select is(
  (select count(*) from pg_temp.wakes where task = :'parent' and source = 'task_children_completed'), 2::bigint,
  'T5 sc-T4: one reopened and done again wakes again'
);

-- Closed while runs wait or go.
select task as queued from office.create_task('queued', assignee => 'ann') \gset
select task as live from office.create_task('live', assignee => 'ann') \gset
select task as fine from office.create_task('fine', assignee => 'ann') \gset
select task as gone from office.create_task('gone', assignee => 'ann') \gset
select office.dispatch() as taken \gset
select from office.move_task(:'queued', 'cancelled');
select office.dispatch() as taken \gset
select is(
  (select result from office.runs where task_id = pg_temp.id(:'queued')), 'task_terminal', 'T5 sc-T11: to cancelled ends the queued run'
);
create temporary table launches as
select * from office.claim_runs((select worker_id from office.register_worker('box', max_runs => 20)), 20) where run_id is not null;
create function pg_temp.attempt(of_task text) returns uuid language sql
as $$ select attempt_id from launches where task = of_task and agent = 'ann' $$;
select s.status from unnest(array[:'live', :'fine', :'gone']) as t, office.start_attempt(pg_temp.attempt(t)) as s;
select is((select count(*) from launches where task in (:'live', :'fine', :'gone')), 3::bigint, 'Q11: three of them are launched');
select office.carry_out() as carried \gset
select office.dispatch() as taken \gset
select results_eq(
  format('select state from office.tasks where id in (%L, %L, %L)', pg_temp.id(:'live'), pg_temp.id(:'fine'), pg_temp.id(:'gone')),
  $$ values ('in_progress'), ('in_progress'), ('in_progress') $$, 'T5 sc-T5: the launch moves todo to in_progress'
);
select is(
  (select count(*) from pg_temp.wakes where task in (:'live', :'fine', :'gone')), 3::bigint, 'T5 sc-T5: and wakes nobody'
);
select from office.move_task(:'live', 'cancelled');
select from office.move_task(:'fine', 'done');
select from office.delete_task(:'gone');
select office.dispatch() as taken \gset
select is((select status from office.runs where task_id = pg_temp.id(:'live')), 'stopping', 'T5 sc-T11: to cancelled stops the live run');
select is((select status from office.runs where task_id = pg_temp.id(:'gone')), 'stopping', 'T5: so does a deletion');
select is(
  (select status from office.runs where task_id = pg_temp.id(:'fine')), 'running', 'T5: to done lets the live run end by itself'
);
select is_empty(
  format($$ select * from office.heartbeat(%L) where instruction <> 'stop' $$, (select worker_id from office.runs where id = (select run_id from launches limit 1))),
  'T5 sc-T11: the worker''s next heartbeat is told to stop'
);

-- By the token of an attempt: its own agent is not woken about its task, others are.
select task as own from office.create_task('own', assignee => 'ann') \gset
select task as next from office.create_task('next', assignee => 'bob', blocked_by => array[:'own']) \gset
create temporary table own as
select * from office.claim_runs((select id from office.workers), 20) where task = :'own';
create role tester_gate login;
grant office_client to tester_gate;
insert into office_internal.gateways (login, kind) values ('tester_gate', 'token');
grant select on own to tester_gate;
select (select count(*) from pg_temp.wakes where task = :'own') as wakes_before \gset
set local session authorization tester_gate;
select office.act_with((select token from own));
select lives_ok(format('select * from office.move_task(%L, %L)', :'own', 'in_progress'), 'X2: an agent moves its own task by its token');
reset session authorization;
set local office.acting = '';
select office.dispatch() as taken \gset
select is((select count(*) from pg_temp.wakes where task = :'own'), :wakes_before::bigint, 'T5 sc-T5: an agent that moves its own task is not woken by it');
select is(
  (select agent_id from office.activity where kind = 'task_moved' and task_id = pg_temp.id(:'own')), (select agent_id from own),
  'I6: the move is recorded as the agent''s'
);
set local session authorization tester_gate;
select office.act_with((select token from own));
select from office.complete_task(:'own', 'done so');
reset session authorization;
set local office.acting = '';
select office.dispatch() as taken \gset
select is(
  (select count(*) from pg_temp.wakes where task = :'next' and source = 'task_blockers_resolved' and agent = 'bob'), 1::bigint,
  'T5: its end wakes the dependant''s assignee'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
