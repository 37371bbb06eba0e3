-- I4, I2, X7, T13: making agents, profiles, projects, workspaces, accounts: what is kept, what is refused and how.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(27);

create function pg_temp.code(statement text) returns text language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal('select * from office.' || statement) as r $$;

-- Agents.
select results_eq(
  $$ select agent, note from office.create_agent('triage', executor => '{"command": ["/bin/true"]}') $$, $$ values ('triage', null::text) $$,
  'I4: an agent with an executor'
);
select is(
  (select note from office.create_agent('bare')), 'It has no executor yet: its runs need one from their task, project or workspace.',
  'X4: its maker is told when nothing could be launched for it'
);
select count(*) as made from unnest(array['worker', 'specialist', 'assistant', 'coordinator', 'ceo']) as r, office.create_agent('the-' || r, role => r) as m \gset
select results_eq(
  $$ select role, skip_idle_wakeups from office.agents where name like 'the-%' order by role $$,
  $$ values ('assistant', true), ('ceo', false), ('coordinator', false), ('specialist', true), ('worker', true) $$,
  'Q13: skip_idle_wakeups is true for worker, specialist, assistant, false for ceo, coordinator'
);
select results_eq(
  $$ select max_concurrent_sessions, cooldown_sec, status from office.agents where name = 'triage' $$, $$ values (1, 10, 'active') $$,
  'Q12: capacity 1 and a cooldown of 10 s unless said otherwise'
);
select is(pg_temp.code($$create_agent('TRIAGE')$$), 'PT409 name_taken name', 'I3: a name in use, case aside');
select is_empty(
  $$ select n from unnest(array['', ' ', 'two words', 'a/b', '-a', '.a', 'é', 'everything', 'Office', repeat('x', 64), 'a' || chr(10), null,
       '01890000-0000-7000-8000-000000000000', 'agent:x', 'T1', 'r12']) as n
     where pg_temp.code(format('create_agent(%L)', n)) is distinct from 'PT422 invalid name' $$,
  'I2: a name that could be taken for something else is refused'
);
select is_empty(
  $$ select n from unnest(array['a', '7', 'a.b-c_d', repeat('x', 63), 'r1x']) as n where pg_temp.code(format('create_agent(%L)', n)) <> '' $$,
  'I2: others are not'
);
select is(pg_temp.code($$create_agent('x1', role => 'boss')$$), 'PT422 invalid role', 'I3: an unknown role');
select is(pg_temp.code($$create_agent('x1', role => null)$$), 'PT422 invalid role', 'I3: no role');
select is(pg_temp.code($$create_agent('x1', max_concurrent_sessions => 0)$$), 'PT422 invalid max_concurrent_sessions', 'I3: no room at all');
select is(pg_temp.code($$create_agent('x1', cooldown_sec => -1)$$), 'PT422 invalid cooldown_sec', 'I3: a cooldown below zero');
select is(pg_temp.code($$create_agent('x1', reports_to => 'nil')$$), 'PT404 not_found', 'I3: an unknown leader');
select is(pg_temp.code($$create_agent('x1', profile => 'nil')$$), 'PT404 not_found', 'I3: an unknown profile');
-- Executors, wherever they are given.
select is_empty(
  $$
    select e, f
    from (values
      ('[]', 'invalid executor'), ('"x"', 'invalid executor'), ('1', 'invalid executor'), ('{}', 'invalid executor.command'), ('{"command": []}', 'invalid executor.command'),
      ('{"command": "sh"}', 'invalid executor.command'), ('{"command": [1]}', 'invalid executor.command'), ('{"command": [""]}', 'invalid executor.command'),
      ('{"command": [["x"]]}', 'invalid executor.command'), ('{"command": null}', 'invalid executor.command'), ('{"command": ["x"], "shell": true}', 'unknown_field executor.shell'),
      ('{"command": ["x"], "folder": "relative"}', 'invalid executor.folder'), ('{"command": ["x"], "folder": null}', 'invalid executor.folder'),
      ('{"command": ["x"], "environment": {"A": 1}}', 'invalid executor.environment'), ('{"command": ["x"], "environment": []}', 'invalid executor.environment'),
      ('{"command": ["x"], "pass_environment": "A"}', 'invalid executor.pass_environment'), ('{"command": ["x"], "prompt": "file"}', 'invalid executor.prompt'),
      ('{"command": ["x"], "limits": {"minutes": 0}}', 'invalid executor.limits'), ('{"command": ["x"], "limits": {"years": 1}}', 'invalid executor.limits'),
      ('{"command": ["x"], "limits": {"minutes": 1e300}}', 'invalid executor.limits')
    ) as v (e, f)
    cross join lateral unnest(array[
      format('create_agent(%L, executor => %L)', 'x1', e), format('create_project(%L, executor => %L)', 'x1', e), format('create_profile(%L, %L)', 'x1', e),
      format('create_task(%L, executor => %L)', 'x1', e), format('update_agent(%L, %L)', 'triage', format('{"executor": %s}', e))
    ]) as s
    where pg_temp.code(s) is distinct from 'PT422 ' || f
  $$,
  'X1 I3: an executor that nothing could launch is refused, naming the field, wherever it is given'
);
select lives_ok(
  $$ select * from office.create_agent('full', executor => '{"command": ["/bin/sh", "-c", "true"], "folder": "/srv", "environment": {"A": "b"},
     "pass_environment": ["LANG"], "prompt": "argument", "limits": {"minutes": 5, "silence_seconds": 30, "output_bytes": 4096}}') $$,
  'X1: all fields of an executor'
);
select is(
  (select count(*) from office.executors where body = '{"command": ["/bin/true"]}'), 1::bigint, 'T13: equal executors are one unchangeable row'
);
-- update_agent.
select lives_ok(
  $$ select * from office.update_agent('triage', '{"cooldown_sec": 0, "max_concurrent_sessions": 3, "role": "specialist", "reports_to": "the-ceo", "skip_idle_wakeups": false,
     "instructions": "Be quick.", "name": "Triage2"}') $$,
  'I4: update_agent changes settings'
);
select results_eq(
  $$ select a.name, a.cooldown_sec, a.max_concurrent_sessions, a.role, l.name, a.skip_idle_wakeups, a.instructions, a.executor
     from office.agents as a join office.agents as l on l.id = a.reports_to where a.name = 'Triage2' $$,
  $$ values ('Triage2', 0, 3, 'specialist', 'the-ceo', false, 'Be quick.', '{"command": ["/bin/true"]}'::jsonb) $$, 'I4: those, and no other'
);
select is_empty(
  $$
    select c, pg_temp.code(format('update_agent(%L, %L)', 'triage2', c))
    from (values
      ('[]', 'invalid changes'), ('null', 'invalid changes'), ('{"colour": "red"}', 'unknown_field colour'), ('{"status": "paused"}', 'unknown_field status'),
      ('{"workspace_id": "x"}', 'unknown_field workspace_id'), ('{"cooldown_sec": "soon"}', 'invalid changes'), ('{"cooldown_sec": 99999999999}', 'invalid changes'),
      ('{"cooldown_sec": -1}', 'invalid cooldown_sec'), ('{"cooldown_sec": null}', 'invalid cooldown_sec'), ('{"role": "boss"}', 'invalid role'), ('{"name": "a b"}', 'invalid name'),
      ('{"name": null}', 'invalid name'), ('{"skip_idle_wakeups": "maybe"}', 'invalid changes'), ('{"instructions": null}', 'invalid instructions'),
      ('{"max_concurrent_sessions": 101}', 'invalid max_concurrent_sessions')
    ) as v (c, f)
    where pg_temp.code(format('update_agent(%L, %L)', 'triage2', c)) is distinct from 'PT422 ' || f
  $$,
  'I3: what an agent has not, or cannot be, is refused, naming the field'
);
select is(pg_temp.code($$update_agent('triage2', '{"name": "bare"}')$$), 'PT409 name_taken name', 'I3: a name in use');
select lives_ok($$ select * from office.update_agent('triage2', '{"executor": null, "reports_to": null, "profile": null}') $$, 'I4: null takes an optional setting away');
select is((select num_nonnulls(executor, executor_id, reports_to, profile_id) from office.agents where name = 'Triage2'), 0, 'I4: and it is gone');
-- The rest of the directory.
select is_empty(
  $$
    select s, pg_temp.code(s)
    from (values
      ('create_workspace(null)', 'PT422 invalid name'), ('create_workspace(''office'')', 'PT422 invalid name'), ('create_workspace(''w'', owner => ''nil'')', 'PT404 not_found'),
      ('create_workspace(''w'', timezone => ''Mars/Olympus'')', 'PT422 invalid timezone'), ('create_workspace(''w'', timezone => null)', 'PT422 invalid timezone'),
      ('create_account(null)', 'PT422 invalid name'), ('create_account(''system'')', 'PT409 name_taken name'), 
      ('create_project(null)', 'PT422 invalid name'), ('create_project(''p'', folder => ''relative'')', 'PT422 invalid folder'), ('create_project(''p'', folder => '''')', 'PT422 invalid folder'),
      ('create_profile(''p'', null)', 'PT422 invalid executor'), ('add_member(''nil'', ''system'')', 'PT404 not_found'), ('add_member(null, ''nil'')', 'PT404 not_found'),
      ('add_member(null, ''system'', ''king'')', 'PT422 invalid role'), ('add_member(null, ''system'', null)', 'PT422 invalid role'), ('add_member(null, null)', 'PT404 not_found')
    ) as v (s, f)
    where pg_temp.code(s) is distinct from f
  $$,
  'I3: workspaces, accounts, projects, profiles, members refuse by name'
);
select lives_ok($$ select * from office.create_account('zoe', email => 'zoe@example.org', db_role => 'tester_zoe') $$, 'I4: an account');
select is(pg_temp.code($$create_account('zoe2', db_role => 'tester_zoe')$$), 'PT409 name_taken db_role', 'I3: a login that has an account, said as that');
select from office.create_workspace('acme');
select results_eq(
  $$ select f.kind, f.hidden, count(s.id) from office.workflows as f join office.workspaces as w on w.id = f.workspace_id and w.name = 'acme'
     join office.stages as s on s.workflow_id = f.id group by f.id order by f.kind $$,
  $$ values ('office', false, 7::bigint), ('routine', true, 2::bigint) $$, 'T4: a workspace has the workflow office, a stage a state, and the hidden routine'
);
select is_empty(
  $$ select s.state from office.stages as s join office.workflows as f on f.id = s.workflow_id and f.kind = 'office' where s.auto_start_agent = (s.state = 'proposed') $$,
  'T4: assignment starts work in all stages but proposed'
);

select * from finish();
rollback;
