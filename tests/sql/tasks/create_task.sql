-- T1, T3, T4, T13: a new task: which states it may have, where it stands, what is refused.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(22);

select from office.create_agent('builder', executor => '{"command": ["/bin/true"]}');
select from office.create_agent('idle');

select is((select state from office.create_task('Look at order 7')), 'todo', 'T1: a new task is todo unless said otherwise');
select is((select state from office.create_task('Later', state => 'proposed')), 'proposed', 'T1: it may be proposed');
select is_empty(
  $$
    select s.state
    from office.task_states as s, pg_temp.refusal(format('select * from office.create_task(%L, state => %L)', 'x', s.state)) as r
    where s.state not in ('proposed', 'todo')
      and (r.state, r.detail ->> 'code', r.hint) is distinct from ('PT422', 'invalid', 'proposed or todo.')
  $$,
  'T1: people make none in any other state'
);
select is_empty(
  $$
    select s.state
    from office.task_states as s
    cross join office.workspaces as w
    cross join pg_temp.refusal(format(
      'insert into office.tasks (workspace_id, workflow_id, title, state) values (%L, %L, %L, %L)', w.id, w.office_workflow_id, 'x', s.state
    )) as r
    where (r.state is null) <> (s.state in ('proposed', 'todo'))
  $$,
  'T1: a plain INSERT meets the same rule'
);
select lives_ok(
  $$
    insert into office.tasks (workspace_id, workflow_id, title, state)
    select w.id, w.routine_workflow_id, 'made by a routine', 'in_progress' from office.workspaces as w
  $$,
  'T1: the system may make one in progress, in the routine workflow'
);
select is_empty(
  $$
    select t.number from office.tasks as t left join office.stages as s on s.id = t.stage_id
    where s.state is distinct from t.state or s.workflow_id is distinct from t.workflow_id
  $$,
  'T4: every new task stands in the stage of its state'
);
select is((select assignee from office.create_task('Mine', assignee => 'BUILDER')), 'builder', 'I2: an assignee is named case aside');
select is((select owner from office.tasks where title = 'Mine'), 'agent', 'T1: a task with an agent is owned by an agent');
select is((select owner from office.tasks where title = 'Later'), 'unassigned', 'T1: one without is unassigned');

-- What is refused, and how.
create function pg_temp.code(statement text) returns text language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r $$;

select is(pg_temp.code($$ select * from office.create_task('') $$), 'PT422 invalid title', 'I3: an empty title');
select is(pg_temp.code($$ select * from office.create_task(null) $$), 'PT422 invalid title', 'I3: no title');
select is(pg_temp.code(format('select * from office.create_task(%L)', repeat('x', 201))), 'PT422 invalid title', 'I3: a title of 201 characters');
select is(pg_temp.code($$ select * from office.create_task('x', priority => 'huge') $$), 'PT422 invalid priority', 'I3: an unknown priority');
select is(pg_temp.code($$ select * from office.create_task('x', state => 'nowhere') $$), 'PT422 invalid state', 'I3: an unknown state');
select is(pg_temp.code($$ select * from office.create_task('x', state => null) $$), 'PT422 invalid state', 'I3: no state');
select is(pg_temp.code($$ select * from office.create_task('x', project => 'nil') $$), 'PT404 not_found', 'I3: an unknown project');
select is(pg_temp.code($$ select * from office.create_task('x', parent => 't999') $$), 'PT404 not_found', 'I3: an unknown parent');
select is(
  pg_temp.code($$ select * from office.create_task('x', blocked_by => '{t999}') $$), 'PT404 not_found', 'I3: an unknown blocker'
);
select is(
  pg_temp.code($$ select * from office.create_task('x', executor => '{"command": "not a list"}') $$),
  'PT422 invalid executor.command', 'I3: an executor of the wrong form'
);
-- T13: assigned without any usable executor, at once, by every way in.
select is(
  pg_temp.code($$ select * from office.create_task('x', assignee => 'idle') $$), 'PT422 no_executor assignee',
  'T13: an assignee for whom nothing could be launched'
);
select is(
  pg_temp.code($$
    update office.tasks set assignee_agent_id = (select id from office.agents where name = 'idle') where title = 'Later'
  $$),
  'PT422 no_executor assignee', 'T13: a plain UPDATE meets it too'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
