-- X2, I3: comments: by whom, on what; and how a task is read.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(10);
select testing.install_clock();

select from office.create_agent('builder', executor => '{"command": ["/bin/true"]}');
select from office.create_project('site', folder => '/srv/site');
select task as parent from office.create_task('parent') \gset
select task as blocker from office.create_task('blocker') \gset
select task as t from office.create_task('Look at order 7', 'It came twice.', assignee => 'builder', project => 'site', parent => :'parent',
  blocked_by => array[:'blocker'], priority => 'high') \gset
select task as part from office.create_task('part', parent => :'t') \gset

select isnt(office.add_comment(:'t', 'First.'), null, 'I4: add_comment answers with the comment''s id');
select testing.advance('1 minute');
select office.add_comment(:'t', 'Second.') as second \gset
select results_eq(
  $$ select body, a.name, attempt_id from office.comments as c join office.accounts as a on a.id = c.author_account_id order by c.created_at $$,
  $$ values ('First.', 'system', null::uuid), ('Second.', 'system', null) $$, 'I6: the author is the caller'
);
create function pg_temp.code(statement text) returns text language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r $$;
select is(pg_temp.code(format('select office.add_comment(%L, %L)', :'t', '')), 'PT422 invalid body', 'I3: an empty comment');
select is(pg_temp.code(format('select office.add_comment(%L, null)', :'t')), 'PT422 invalid body', 'I3: no comment');
select is(pg_temp.code(format('select office.add_comment(%L, repeat(%L, 65537))', :'t', 'x')), 'PT422 invalid body', 'I3: one of 65,537 characters');
select lives_ok(format('select office.add_comment(%L, repeat(%L, 65536))', :'part', 'é'), 'I3: 65,536 are allowed, whatever their bytes');
select is(pg_temp.code($$ select office.add_comment('t999', 'x') $$), 'PT404 not_found', 'I3: on a task that is not');

select is(
  office.read_task(:'t') - 'task_id' - 'comments',
  jsonb_build_object(
    'task', :'t', 'title', 'Look at order 7', 'description', 'It came twice.', 'state', 'todo', 'priority', 'high', 'requires_approval', false,
    'project', 'site', 'folder', '/srv/site', 'assignee', 'builder', 'parent', :'parent',
    'documents', '[]'::jsonb,
    'blocked_by', jsonb_build_array(jsonb_build_object('task', :'blocker', 'title', 'blocker', 'state', 'todo')),
    'parts', jsonb_build_array(jsonb_build_object('task', :'part', 'title', 'part', 'state', 'todo'))
  ),
  'X2: read_task tells what a task is, what it waits for, and its parts'
);
select is(
  (select jsonb_agg(c ->> 'body' order by nth) from jsonb_array_elements(office.read_task(:'t') -> 'comments') with ordinality as c (c, nth)),
  '["First.", "Second."]', 'X2: and its comments, in order'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
