-- office.wake: one function for every wake (Q1), its sources and their payloads (Q2), keys (Q3). sc-W6 and sc-W7 as far as one
-- session shows them; two sessions are in tests/python/races.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(133);

-- Q1

select pg_temp.scenario('one', 'ann', 'bob');
create temporary table before_signals as select max(s.id) as id from office_internal.signals as s;
select pg_temp.wake('ann') as w \gset
select results_eq(
  format($$ select status, source, class, run_id is null from office.wakeups where id = %L $$, :'w'),
  $$ values ('queued', 'user', 'event', true) $$,
  'Q1: a wake is a queued wakeup'
);
select is(
  (select array_agg(s.kind || ':' || s.wakeup_id) from office_internal.signals as s where s.id > coalesce((select b.id from before_signals as b), 0)),
  array['wakeup:' || :'w'],
  'Q1: … and one signal'
);
select is_empty($$ select from office.runs $$, 'Q1: what becomes of it is decided later');
select is((select r.status from office.result(:'w') as r), 'queued', 'Q1: office.result tells that it waits');
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:queued:1', 'sc-W1: no run in flight → a run is created');
select is(
  (pg_temp.wakeup(:'w')).status || ' ' || (pg_temp.wakeup(:'w')).position, 'claimed 1', 'sc-W1: … and the wakeup is claimed against it'
);
select is(office.context_snapshot(pg_temp.run(:'w')) -> 'wakeups' -> 0 ->> 'source', 'user', 'sc-W1: … and its context snapshot holds the payload');
select is((select r.run from office.result(:'w') as r), 'r' || (pg_temp.run(:'w')).number, 'Q1: office.result tells the run');
select is((pg_temp.wakeup(:'w')).depth, 0, 'Q2: a wake from outside has depth 0');
select is(
  (pg_temp.wakeup(:'w')).payload, jsonb_build_object('user_id', (pg_temp.wakeup(:'w')).account_id),
  'Q2: the user is the caller when none is given'
);

-- Rolled back with the caller's own data (sc-W7).
do $$
begin
  begin
    perform pg_temp.wake('bob');
    raise exception 'the caller changes its mind';
  exception when raise_exception then
    null;
  end;
end
$$;
select is_empty(
  $$ select from office.wakeups as w join office.agents as a on a.id = w.agent_id where a.name = 'bob' $$,
  'Q1, sc-W7: a wake inside what is rolled back is nothing'
);
select is_empty(
  $$ select from office_internal.signals as s where s.wakeup_id is not null and not exists (select from office.wakeups as w where w.id = s.wakeup_id) $$,
  'Q1, sc-W7: … and leaves no signal'
);

-- Q2: every source

select pg_temp.scenario('sources', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.task('another') as other \gset
select pg_temp.look();
select office.add_comment(:'task', 'hello') as comment \gset
select pg_temp.wake('ann') as w \gset
select pg_temp.look();
select number as run_number from pg_temp.run(:'w') \gset

create temporary table samples (source text primary key, payload jsonb, optional jsonb, class text, addresses text);
insert into samples values
  ('routine', '{"routine_id": "a0000000-0000-4000-8000-000000000001"}',
    jsonb_build_object(
      'trigger_id', office.uuid7(), 'fire', 'cron', 'variables', '{"a": 1}'::jsonb, 'missed_ticks', 3,
      'missed_since', '2035-01-01T09:00:00Z', 'task_id', :'task'
    ), 'periodic', 'nobody'),
  ('comment', jsonb_build_object('task_id', :'task', 'comment_id', :'comment'), '{}', 'event', 'assignee'),
  ('agent_error', '{"failed_agent_id": "bob", "error": "exit 1"}',
    jsonb_build_object('failed_session_id', 's1', 'run_id', 'r' || :'run_number'), 'event', 'nobody'),
  ('self', '{"reason": "later"}', jsonb_build_object('payload', '[1, null]'::jsonb, 'task_id', :'task'), 'event', 'nobody'),
  ('user', '{"user_id": "system"}', jsonb_build_object('context', '{"a": null}'::jsonb, 'task_id', :'task'), 'event', 'nobody'),
  ('task_assigned', jsonb_build_object('task_id', :'task'), '{}', 'event', 'assignee'),
  ('task_blockers_resolved', jsonb_build_object('task_id', :'task', 'resolved_blocker_ids', jsonb_build_array(office.uuid7())),
    '{"cancelled_blocker_ids": []}', 'event', 'assignee'),
  ('task_children_completed', jsonb_build_object('task_id', :'task'), '{}', 'event', 'assignee'),
  ('approval_resolved', jsonb_build_object('approval_id', office.uuid7(), 'status', 'approved'),
    jsonb_build_object('decision_note', 'go', 'task_id', :'task'), 'event', 'nobody'),
  ('budget_alert', '{"agent_instance_id": "bob", "budget_pct": 80.5}',
    jsonb_build_object('policy_id', office.uuid7(), 'scope', 'agent'), 'event', 'nobody'),
  ('review_requested', jsonb_build_object('task_id', :'task', 'role', 'reviewer', 'round', 1), '{}', 'event', 'reviewer'),
  ('changes_requested', jsonb_build_object('task_id', :'task', 'round', 1, 'comment_ids', jsonb_build_array(:'comment')), '{}', 'event', 'assignee'),
  ('ready_to_close', jsonb_build_object('task_id', :'task'), '{}', 'event', 'assignee'),
  ('reopened', jsonb_build_object('task_id', :'task'), '{}', 'event', 'assignee'),
  ('queue_run', jsonb_build_object('task_id', :'task', 'stage_id', office.uuid7()), '{"context": "more"}', 'event', 'assignee'),
  ('message', jsonb_build_object('session_id', pg_temp.session('ann', 'sources'), 'text', 'hi'), '{"steer": true}', 'event', 'nobody');

select set_eq('select source from office.wakeup_sources', 'select source from samples', 'Q2: these are the sources, and heartbeat is none');

-- Class and addressee, with no more than is required.
select is(
  (w).class || ' ' || (w).addresses, s.class || ' ' || s.addresses,
  format('Q2: %s with what it needs is %s and addresses %s', s.source, s.class, s.addresses)
)
from (select s.*, pg_temp.wakeup(pg_temp.wake('ann', s.source, s.payload)) as w from samples as s order by s.source) as s;

-- All that is optional is taken and kept.
select is_empty(
  $$
    select s.source, k.key
    from (select s.*, pg_temp.wakeup(pg_temp.wake('ann', s.source, s.payload || s.optional)) as w from samples as s) as s
    cross join jsonb_object_keys(s.payload || s.optional) as k (key)
    where not (s.w).payload ? k.key
  $$,
  'Q2: every source takes all its fields'
);
select is(
  (pg_temp.wakeup(pg_temp.wake('ann', 'user', '{"context": {"a": null, "b": [null]}}'))).payload -> 'context',
  '{"a": null, "b": [null]}',
  'Q2: what the caller puts into context is kept to the letter'
);
select is(
  (pg_temp.wakeup(pg_temp.wake('ann', 'agent_error', format('{"failed_agent_id": "bob", "error": "x", "run_id": "r%s"}', :'run_number')::jsonb))).payload ->> 'run_id',
  (pg_temp.run(:'w')).id::text,
  'Q2: references are stored as ids'
);

-- Without each required field; user_id is the caller's.
select is(
  (r).state || ' ' || ((r).detail ->> 'field'), 'PT422 ' || x.field,
  format('Q2: %s without %s is refused, naming it', x.source, x.field)
)
from (
  select s.source, k.key as field, pg_temp.refusal(format('select pg_temp.wake(%L, %L, %L)', 'ann', s.source, s.payload - k.key)) as r
  from samples as s
  cross join jsonb_object_keys(s.payload) as k (key)
  where s.source <> 'user'
  order by s.source, k.key
) as x;

-- Each field of another type: an object where a scalar is due, a number where an object or array is.
select is(
  (r).state || ' ' || ((r).detail ->> 'field'), 'PT422 ' || x.field,
  format('Q2: %s with a mistyped %s is refused, naming it', x.source, x.field)
)
from (
  select f.source, f.field, pg_temp.refusal(format(
    'select pg_temp.wake(%L, %L, %L)', 'ann', f.source,
    s.payload || jsonb_build_object(f.field, case when f.type in ('object', 'uuids') then '7'::jsonb else '{"a": 1}'::jsonb end)
  )) as r
  from office.wakeup_fields as f
  join samples as s using (source)
  where f.type <> 'json'
  order by f.source, f.field
) as x;

select is(
  (r).state || ' ' || ((r).detail ->> 'field'), 'PT422 ' || x.field, format('Q2: %s of %s has its choices', x.field, x.source)
)
from (
  select f.source, f.field, pg_temp.refusal(format(
    'select pg_temp.wake(%L, %L, %L)', 'ann', f.source, s.payload || jsonb_build_object(f.field, 'perhaps')
  )) as r
  from office.wakeup_fields as f
  join samples as s using (source)
  where f.choices is not null
  order by f.source, f.field
) as x;

select is(
  (pg_temp.refusal($$ select pg_temp.wake('ann', 'user', '{"contxt": 1}') $$)).detail ->> 'field', 'contxt', 'Q2: an unknown field is refused by name'
);
select is((pg_temp.refusal($$ select pg_temp.wake('ann', 'heartbeat') $$)).state, 'PT422', 'Q2: heartbeat is no source');
select is(
  ((pg_temp.refusal($$ select pg_temp.wake('ann', 'coment') $$)).detail ->> 'field') || ': ' || (pg_temp.refusal($$ select pg_temp.wake('ann', 'coment') $$)).hint,
  'source: Did you mean "comment"?',
  'Q2: an unknown source is refused by name'
);
select is((pg_temp.refusal($$ select pg_temp.wake('ann', null) $$)).state, 'PT422', 'Q2: no source is no source');
select is((pg_temp.refusal($$ select pg_temp.wake('ann', 'user', '[]') $$)).state, 'PT422', 'Q2: a payload is an object');
select is((pg_temp.refusal($$ select pg_temp.wake('nobody') $$)).state, 'PT404', 'Q2: an agent that is not there');
select is((pg_temp.refusal($$ select pg_temp.wake('ann', 'task_assigned', '{"task_id": "t999"}') $$)).state, 'PT404', 'Q2: a task that is not there');

-- sc-W5: null and '' as a task id mean none.
select is(
  (select array_agg(coalesce((w).task_id::text, 'none') || ' ' || ((w).payload ? 'task_id')) from (
    select pg_temp.wakeup(pg_temp.wake('ann', 'self', '{"reason": "x"}'::jsonb || p.more)) as w
    from unnest('{"{}", "{\"task_id\": null}", "{\"task_id\": \"\"}"}'::jsonb[]) as p (more)
  ) as x),
  array['none false', 'none false', 'none false'],
  'Q2, sc-W5: absent, null and empty task ids are all taskless'
);
select is(
  (r).state || ' ' || ((r).detail ->> 'field'), 'PT422 task_id', format('Q2: %s as the task of a source that needs one is none', x.given)
)
from (
  select g.given, pg_temp.refusal(format('select pg_temp.wake(%L, %L, %L)', 'ann', 'task_assigned', format('{"task_id": %s}', g.given))) as r
  from unnest(array['null', '""']) as g (given)
) as x;

-- Whom it addresses
select is(
  (pg_temp.wakeup(pg_temp.wake('bob', 'comment', jsonb_build_object('task_id', :'task', 'comment_id', :'comment')))).addresses,
  'mentioned', 'Q2: a comment addresses another than the assignee as mentioned'
);
insert into office.task_participants (workspace_id, task_id, agent_id, role)
select t.workspace_id, t.id, a.id, 'approver'
from office.tasks as t
join office.agents as a on a.workspace_id = t.workspace_id and a.name = 'bob'
where 't' || t.number = :'task';
select is(
  (pg_temp.wakeup(pg_temp.wake('bob', 'comment', jsonb_build_object('task_id', :'task', 'comment_id', :'comment')))).addresses,
  'approver', 'Q2: … an approver as approver'
);
select is(
  (pg_temp.wakeup(pg_temp.wake('ann', 'routine', '{"routine_id": "a0000000-0000-4000-8000-000000000001"}'::jsonb || f.more))).class,
  f.class, format('Q2: a routine with %s is %s', f.more, f.class)
)
from (values
  ('{}'::jsonb, 'periodic'), ('{"fire": "cron"}', 'periodic'), ('{"fire": "manual"}', 'event'), ('{"fire": "webhook"}', 'event'),
  (jsonb_build_object('task_id', :'task'), 'event'), (jsonb_build_object('task_id', :'task', 'fire', 'cron'), 'event')
) as f (more, class);

-- Refused means nothing written.
create temporary table counted as select (select count(*) from office.wakeups) as wakeups, (select count(*) from office_internal.signals) as signals;
select pg_temp.refusal($$ select pg_temp.wake('ann', 'user', '{"contxt": 1}', 'a key') $$) is not null as refused \gset
select results_eq(
  $$ select (select count(*) from office.wakeups), (select count(*) from office_internal.signals) $$, 'select * from counted',
  'Q2: what is refused writes nothing'
);

-- Q3

select pg_temp.scenario('keys', 'ann', 'bob');
select wakeup_id as first, duplicate from office.wake('ann', 'user', '{"context": 1}', 'k', 'keys') \gset
select is(:'duplicate'::text, 'f', 'Q3: the first request with a key is taken');
select results_eq(
  $$ select wakeup_id::text, duplicate from office.wake('bob', 'self', '{"reason": "x"}', 'k', 'keys') $$,
  format($$ values (%L, true) $$, :'first'),
  'Q3, sc-W6: the second is no error: it answers with the first row as duplicate'
);
select is(
  (select count(*)::integer from office_internal.signals as s join office.workspaces as w on w.id = s.workspace_id where w.name = 'keys' and s.kind = 'wakeup'),
  1, 'Q3: … writes nothing and wakes nobody'
);
select pg_temp.look();
select pg_temp.claim();
select pg_temp.finish(:'first');
select is((select w.duplicate from office.wake('ann', 'user', '{}', 'k', 'keys') as w), true, 'Q3: … also when the first has long ended');
select pg_temp.scenario('other-keys', 'ann');
select is((select w.duplicate from office.wake('ann', 'user', '{}', 'k', 'other-keys') as w), false, 'Q3: a key is unique in its workspace only');
select is((pg_temp.refusal($$ select pg_temp.wake('ann', key => 'task_assigned:mine') $$)).state, 'PT422', 'Q3: keys of the system are not for callers');
select is((pg_temp.refusal(format($$ select pg_temp.wake('ann', key => %L) $$, repeat('k', 501)))).state, 'PT422', 'Q3: a key has an end');
do $$
begin
  begin
    perform pg_temp.wake('ann', key => 'rolled back');
    raise exception 'the first changes its mind';
  exception when raise_exception then
    null;
  end;
end
$$;
select is((select w.duplicate from office.wake('ann', 'user', '{}', 'rolled back', 'other-keys') as w), false, 'Q3, sc-W6: the first rolls back → the second is taken');

select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
