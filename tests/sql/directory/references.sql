-- I2: references: a name, a number, a uuid, workspace/name; what is unknown names the nearest, what is ambiguous says so.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(33);

create role tester_ada login;
grant office_client to tester_ada;
select from office.create_account('ada', db_role => 'tester_ada');
select from office.create_workspace('acme', owner => 'ada');
select from office.create_workspace('bolt');
select from office.create_workspace('cafe');
select a.agent from unnest(array['acme/builder', 'acme/triage', 'bolt/builder', 'cafe/Reviewer']) as n,
  office.create_agent(split_part(n, '/', 2), executor => '{"command": ["/bin/true"]}', workspace => split_part(n, '/', 1)) as a;
select task as t from office.create_task('one', assignee => 'acme/builder') \gset
select office.dispatch() as taken \gset
select 'r' || number as r, id as run_id from office.runs \gset
select id as task_id from office.tasks \gset
select id as wakeup_id from office.wakeups \gset
select id as agent_id from office.agents where name = 'triage' \gset
select id as workspace_id from office.workspaces where name = 'acme' \gset

-- Tasks.
select is(office.read_task(:'t') ->> 'title', 'one', 'I2: a task by its number');
select is(office.read_task(upper(:'t')) ->> 'title', 'one', 'I2: case aside');
select is(office.read_task(:'task_id') ->> 'title', 'one', 'I2: a task by its uuid');
select is(office.read_task(upper(:'task_id')) ->> 'title', 'one', 'I2: a uuid case aside');
select is_empty(
  $$
    select r from unnest(array['', ' ', 't', 't-1', 't1.5', '1', 'one', 't999', 't99999999999999999999', 't1;', 'T', '''', '%', 't1 ', 'x1', 'üñí',
      '00000000-0000-0000-0000-000000000000', '{00000000-0000-0000-0000-000000000000}', '0000000000000000']) as r
    cross join lateral pg_temp.refusal(format('select office.read_task(%L)', r)) as x
    where (x.state, x.detail ->> 'code', x.detail ->> 'noun', x.detail ->> 'given') is distinct from ('PT404', 'not_found', 'task', r)
      or x.message <> format('No task "%s".', r) or x.hint is null
  $$,
  'I2: what is no task is not found, whatever it looks like'
);
-- Runs, wakeups.
select is((select run from office.result(:'r')), :'r', 'I2: a run by its number');
select is((select run from office.result(:'run_id')), :'r', 'I2: a run by its uuid');
select is((select run from office.result(:'t')), :'r', 'I2: a task''s latest run by the task''s number');
select is((select run from office.result(:'wakeup_id')), :'r', 'I2: a wakeup by its uuid');
select is_empty(
  $$
    select f, r
    from unnest(array['result', 'why', 'retry_run']) as f,
      unnest(array['', 'r', 'r0', 'r99999999999999999999', 'r1x', '00000000-0000-0000-0000-000000000000']) as r
    cross join lateral pg_temp.refusal(format('select * from office.%s(%L)', f, r)) as x
    where (x.state, x.detail ->> 'code') is distinct from ('PT404', 'not_found') or x.hint is null
  $$,
  'I2: what is no run is not found'
);
-- Agents.
select is((select assignee from office.assign_task(:'t', 'triage')), 'triage', 'I2: an agent by its name, in the task''s workspace');
select is((select assignee from office.assign_task(:'t', 'TRIAGE')), 'triage', 'I2: case aside');
select is((select assignee from office.assign_task(:'t', :'agent_id')), 'triage', 'I2: by its uuid');
select is((select assignee from office.assign_task(:'t', 'acme/builder')), 'builder', 'I2: as workspace/name');
select is((select assignee from office.assign_task(:'t', upper('acme/builder'))), 'builder', 'I2: case aside, too');
select is((select workspace from office.update_agent('cafe/reviewer', '{}')), 'cafe', 'I2: in any workspace that the caller sees');
select is((select agent from office.update_agent('reviewer', '{}')), 'Reviewer', 'I2: a name that one workspace has needs no workspace');
select results_eq(
  $$ select state, message, detail ->> 'code', hint from pg_temp.refusal($q$ select * from office.wake('builder') $q$) $$,
  $$ values ('PT422', 'More than one workspace has an agent "builder".', 'ambiguous', 'Name it workspace/agent.') $$,
  'I2: a name that two have is ambiguous, and the refusal says how to name it'
);
select lives_ok($$ select * from office.wake('builder', workspace => 'bolt') $$, 'I2: with its workspace as an argument it is not');
select results_eq(
  $$ select state, message, hint from pg_temp.refusal($q$ select * from office.wake('triag') $q$) $$,
  $$ values ('PT404', 'No agent "triag".', 'Did you mean "triage"?') $$, 'I2: an unknown agent is refused with the nearest name'
);
select is(
  (pg_temp.refusal($$ select * from office.wake('zzz') $$)).hint, 'officectl agent list shows the agents.', 'I2: or with where to look, when none is near'
);
select is(
  (pg_temp.refusal($$ select * from office.wake('acmee/builder') $$)).hint, 'Did you mean "acme"?', 'I2: an unknown workspace before the slash'
);
select is_empty(
  $$
    select r from unnest(array['', '/', 'acme/', '/builder', 'acme/builder/x', 'acme/reviewer', ' builder', 'acme /builder', '%', '🦆']) as r
    cross join lateral pg_temp.refusal(format('select * from office.wake(%L)', r)) as x
    where x.state is distinct from 'PT404' and not (x.state = 'PT422' and x.detail ->> 'code' = 'ambiguous')
  $$,
  'I2: what is no agent is not found'
);
-- An agent, a part and a blocker are of the task's own workspace.
select is(
  (pg_temp.refusal(format('select * from office.assign_task(%L, %L)', :'t', 'bolt/builder'))).state, 'PT404', 'I2: an agent of another workspace is not assigned'
);
select is(
  (pg_temp.refusal($$ select * from office.create_task('x', assignee => 'bolt/builder', workspace => 'acme') $$)).state, 'PT404',
  'I2: nor by a new task'
);
select is(
  (pg_temp.refusal(format('select * from office.create_task(%L, parent => %L, workspace => %L)', 'x', :'t', 'bolt'))).detail ->> 'field', 'parent',
  'T8: a parent is of the same workspace'
);
select is(
  (pg_temp.refusal(format('select * from office.create_task(%L, blocked_by => array[%L], workspace => %L)', 'x', :'t', 'bolt'))).detail ->> 'field', 'blocked_by',
  'T8: so is a blocker'
);
select is(
  (pg_temp.refusal(format(
    'update office.tasks set assignee_agent_id = (select a.id from office.agents as a join office.workspaces as w on w.id = a.workspace_id where w.name = %L limit 1)', 'bolt'
  ))).state,
  'PT422', 'I2: nor is an agent of another workspace assigned by hand'
);
-- Workspaces.
select is((select workspace from office.create_task('x', workspace => :'workspace_id')), 'acme', 'I2: a workspace by its uuid');
select results_eq(
  $$ select state, detail, hint from pg_temp.refusal($q$ select * from office.create_task('x') $q$) $$,
  $$
    select 'PT422', jsonb_build_object('code', 'ambiguous', 'field', 'workspace', 'choices', (select jsonb_agg(name order by name) from office.workspaces)),
      'Name it, as the argument workspace or before the name: acme/builder.'
  $$,
  'I2: with several workspaces the caller must say which, and is told the choice'
);
set local session authorization tester_ada;
select is((select workspace from office.create_task('x')), 'acme', 'I2: without one it is the caller''s only one');
select is(
  (pg_temp.refusal($$ select * from office.create_task('x', workspace => 'bol') $$)).hint, 'officectl workspace list shows those you can see.',
  'I2: the nearest is looked for among what the caller sees'
);
reset session authorization;
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
