-- T5, A6: deleting and archiving: nothing is ever removed, by function or by hand.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(17);
select testing.install_clock();

select from office.create_agent('builder', executor => '{"command": ["/bin/true"]}');
select from office.create_project('site', folder => '/srv/site');
select task as t from office.create_task('by function', assignee => 'builder', project => 'site') \gset
select task as h from office.create_task('by hand', assignee => 'builder') \gset
select task as a from office.create_task('to archive', assignee => 'builder') \gset
select office.dispatch() as taken \gset

select is((select task from office.delete_task(:'t')), :'t', 'I4: delete_task answers with the task');
delete from office.tasks where 't' || number = :'h';
select results_eq(
  $$ select title, deleted_at from office.tasks where title like 'by %' order by title $$,
  $$ values ('by function', office.now()), ('by hand', office.now()) $$,
  'A6: a DELETE by hand sets deleted_at, as the function does; no row is removed'
);
select testing.advance('1 hour');
delete from office.tasks where 't' || number = :'h';
select is((select count(distinct deleted_at) from office.tasks where deleted_at is not null), 1::bigint, 'A6: deleting again leaves the first time');
select is(
  (pg_temp.refusal(format('select * from office.delete_task(%L)', :'t'))).state, 'PT404', 'I2: a deleted task is not found any more'
);
select from office.archive_task(:'a');
select testing.advance('1 hour');
select is((select state from office.archive_task(:'a')), 'todo', 'I4: archiving again is a no-op');
select is((select archived_at < office.now() from office.tasks where title = 'to archive'), true, 'I4: and leaves the first time');
select office.dispatch() as taken \gset
select results_eq(
  $$ select t.title, r.status, r.result from office.runs as r join office.tasks as t on t.id = r.task_id order by t.title $$,
  $$ values ('by function', 'cancelled', 'task_not_found'), ('by hand', 'cancelled', 'task_not_found'), ('to archive', 'cancelled', 'task_terminal') $$,
  'Q13: their queued runs end with the reason'
);
select is(
  (select count(*) from office.activity where kind = 'task_closed'), 3::bigint, 'T5: each end is one event'
);

-- Agents and projects.
delete from office.agents where name = 'builder';
delete from office.projects where name = 'site';
select is((select deleted_at from office.agents where name = 'builder'), office.now(), 'A6: an agent is not removed by hand');
select is((select deleted_at from office.projects where name = 'site'), office.now(), 'A6: nor a project');
select is(
  (pg_temp.refusal($$ select * from office.wake('builder') $$)).detail ->> 'code', 'not_found', 'I2: a deleted agent is not found any more'
);
select lives_ok(
  $$ select * from office.create_agent('builder', executor => '{"command": ["/bin/true"]}') $$, 'A6: its name is free again'
);
select lives_ok($$ select * from office.create_project('site') $$, 'A6: and the project''s');
select is(
  (pg_temp.refusal($$ select * from office.delete_task('t999') $$)).state, 'PT404', 'I3: delete_task refuses what is not there'
);
select is(
  (pg_temp.refusal($$ select * from office.archive_task('t999') $$)).state, 'PT404', 'I3: archive_task refuses what is not there'
);
-- K13: without the trigger a DELETE would remove the row.
alter table office.projects disable trigger projects_keep;
delete from office.projects where name = 'site' and deleted_at is null;
select is((select count(*) from office.projects where name = 'site'), 1::bigint, 'K13: without the trigger the row is gone');
alter table office.projects enable trigger projects_keep;
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
