-- T6: what an assignment does, by function, by a new task and by a plain UPDATE. sc-T2, sc-T3
begin;
set local search_path = tap, public;
select plan(18);
select testing.install_clock();

select a.agent from unnest(array['ann', 'bob', 'cid']) as n, office.create_agent(n, executor => '{"command": ["/bin/true"]}', cooldown_sec => 0) as a;

create view pg_temp.wakes as
select 't' || t.number as task, a.name as agent, w.source, w.status, w.addresses, w.idempotency_key
from office.wakeups as w
join office.agents as a on a.id = w.agent_id
join office.tasks as t on t.id = w.task_id;
create view pg_temp.runs as
select 't' || t.number as task, a.name as agent, r.status, r.result, r.coalesced_count
from office.runs as r
join office.agents as a on a.id = r.agent_id
join office.tasks as t on t.id = r.task_id;

-- A new task, a function, a plain UPDATE: each wakes.
select task as made from office.create_task('by a new task', assignee => 'ann') \gset
select task as given from office.create_task('by a function') \gset
select task as updated from office.create_task('by hand') \gset
select from office.assign_task(:'given', 'ann');
update office.tasks set assignee_agent_id = (select id from office.agents where name = 'ann') where 't' || number = :'updated';
select office.dispatch() as taken \gset
select results_eq(
  $$ select task, agent, source, addresses from pg_temp.wakes order by task $$,
  format($$ values (%L, 'ann', 'task_assigned', 'assignee'), (%L, 'ann', 'task_assigned', 'assignee'), (%L, 'ann', 'task_assigned', 'assignee') $$,
    :'made', :'given', :'updated'),
  'T6: a new task, the function and a plain UPDATE each wake the new assignee'
);
select is((select count(*) from pg_temp.runs where status = 'queued'), 3::bigint, 'Q4: three tasks, three runs');

-- Reassigned while it waits: the old one's run goes, the new one is woken.
select from office.assign_task(:'given', 'bob');
select office.dispatch() as taken \gset
select results_eq(
  format('select agent, status, result from pg_temp.runs where task = %L order by agent', :'given'),
  $$ values ('ann', 'cancelled', 'assignee_changed'), ('bob', 'queued', 'queued') $$,
  'T6: the old assignee''s queued run ends assignee_changed, the new one''s waits'
);
select results_eq(
  format('select agent, status from pg_temp.wakes where task = %L order by agent', :'given'),
  $$ values ('ann', 'cancelled'), ('bob', 'claimed') $$,
  'Q10: the wakeups say so'
);

-- A, B, and A again.
select from office.assign_task(:'given', 'ann');
select office.dispatch() as taken \gset
select is(
  (select count(*) from pg_temp.wakes where task = :'given' and agent = 'ann'), 2::bigint, 'T6 sc-T2: assigned to A, to B, and to A again wakes A twice'
);
select is(
  (select count(distinct idempotency_key) from pg_temp.wakes where task = :'given'), 3::bigint, 'Q3: each of the three has a key of its own'
);
-- All three before any dispatch.
select task as hurried from office.create_task('in a hurry', assignee => 'cid') \gset
select from office.assign_task(:'hurried', 'bob');
select from office.assign_task(:'hurried', 'cid');
select office.dispatch() as taken \gset
select results_eq(
  format('select agent, source from pg_temp.wakes where task = %L', :'hurried'),
  $$ values ('cid', 'task_assigned'), ('cid', 'task_assigned') $$,
  'T6 sc-T2: before any dispatch too; B, who no longer has it, is not woken'
);
select results_eq(
  format('select agent, status, coalesced_count from pg_temp.runs where task = %L', :'hurried'),
  $$ values ('cid', 'queued', 2) $$, 'Q4: they share one run'
);

-- A live run of the old assignee is stopped; one of another task is not.
create temporary table launches as
select * from office.claim_runs((select worker_id from office.register_worker('box', max_runs => 8)), 8) where run_id is not null;
select is((select count(*) from launches), 2::bigint, 'Q12: one run of each free agent is launched');
select from office.start_attempt((select attempt_id from launches where agent = 'cid'));
select from office.assign_task(:'hurried', null);
select office.dispatch() as taken \gset
select results_eq(
  format('select agent, status from pg_temp.runs where task = %L', :'hurried'),
  $$ values ('cid', 'stopping') $$, 'T6: taking a task away stops the live run'
);
select is((select status from office.runs as r join launches as l on l.run_id = r.id where l.agent = 'ann'), 'claimed', 'T6: no other');
select is((select count(*) from pg_temp.wakes where task = :'hurried' and agent = 'cid'), 2::bigint, 'T6: taking it away wakes nobody');
select from office.finish_attempt((select attempt_id from launches where agent = 'cid'));
select is(
  (select result from pg_temp.runs where task = :'hurried'), 'assignee_changed', 'P1, P2: a stop ends the run as cancelled, with why, whatever its program says'
);

-- Blocked: no wake is written until the blocker has ended.
select task as first from office.create_task('first') \gset
select task as second from office.create_task('second', blocked_by => array[:'first']) \gset
select from office.assign_task(:'second', 'bob');
select office.dispatch() as taken \gset
select is((select count(*) from pg_temp.wakes where task = :'second'), 0::bigint, 'T6 sc-T3: assigned while blocked wakes nobody');
select from office.move_task(:'first', 'done');
select office.dispatch() as taken \gset
select results_eq(
  format('select agent, source from pg_temp.wakes where task = %L', :'second'),
  $$ values ('bob', 'task_blockers_resolved') $$, 'T6 sc-T3: task_blockers_resolved is the one that comes'
);

-- A proposed task, and one whose stage starts nothing.
select task as idea from office.create_task('idea', assignee => 'bob', state => 'proposed') \gset
select office.dispatch() as taken \gset
select is((select count(*) from pg_temp.wakes where task = :'idea'), 0::bigint, 'T4: assignment of a proposed task wakes nobody');
-- The same assignee again is no assignment.
select from office.assign_task(:'second', 'bob');
select is(
  (select count(*) from office.activity as v where v.kind = 'task_assigned' and v.task_id = (select id from office.tasks where title = 'second')),
  1::bigint, 'T6: assigning to whom it is assigned is no event'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
