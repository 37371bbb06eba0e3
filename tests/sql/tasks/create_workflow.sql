-- office.create_workflow, stages that act on entry (T4), office.update_task, and parts that go with their whole (T14).
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/refusal.psql
select plan(25);

select pg_temp.scenario('acme', 'ann');
create function pg_temp.news(task text) returns text language sql as $$
  select string_agg(w.source, ' ' order by w.id) from office.wakeups as w where w.task_id = pg_temp.task_id(task)
$$;
select office.create_workflow(
  'Board', '[{"name": "Ideas", "state": "todo"}, {"name": "Doing", "state": "in_progress", "queue_run": true}, {"name": "Checks", "state": "in_progress", "queue_run": true}, {"name": "Ready", "state": "done"}]', 'acme'
) as board \gset
select results_eq(
  format('select s.name, s.position, s.state, s.auto_start_agent, s.queue_run from office.stages as s where s.workflow_id = %L order by s.position', :'board'),
  $$ values ('Ideas', 1, 'todo', false, false), ('Doing', 2, 'in_progress', false, true), ('Checks', 3, 'in_progress', false, true), ('Ready', 4, 'done', false, false) $$,
  'T4: a workflow has its stages in order'
);
select is((pg_temp.refusal($$ select office.create_workflow('board', '[{"name": "x", "state": "todo"}]', 'acme') $$)).state, 'PT409', 'T4: a name is taken once');
select is((pg_temp.refusal($$ select office.create_workflow('b', '[]', 'acme') $$)).detail ->> 'field', 'stages', 'I3: an empty list');
select is((pg_temp.refusal($$ select office.create_workflow('b', '[{"name": "x", "state": "doing"}]', 'acme') $$)).detail ->> 'field', 'stages', 'I3: an unknown state');
select is((pg_temp.refusal($$ select office.create_workflow('b', '[{"name": "x", "state": "todo", "autostart": true}]', 'acme') $$)).detail ->> 'code', 'unknown_field', 'I3: an unknown field is refused, never dropped');
select is((select count(*) from office.workflows as f where f.name = 'b'), 0::bigint, 'I3: nothing was written');

insert into office.tasks (workspace_id, workflow_id, title, assignee_agent_id)
select a.workspace_id, :'board', 'Card', a.id from office.agents as a where a.name = 'ann';
select 't' || number as card from office.tasks where title = 'Card' \gset
select office.dispatch();
select is(pg_temp.news(:'card'), null, 'T3 T4: a Kanban task wakes nobody');
select office.move_task(:'card', 'Doing');
select office.dispatch();
select is(pg_temp.news(:'card'), 'queue_run', 'T3 T4: queue_run works in every workflow');
select is(
  (select w.payload ->> 'stage_id' from office.wakeups as w where w.source = 'queue_run'),
  (select s.id::text from office.stages as s where s.workflow_id = :'board' and s.name = 'Doing'), 'Q2: it says which stage'
);
update office.tasks as t set stage_id = s.id from office.stages as s where s.workflow_id = :'board' and s.name = 'Checks' and t.title = 'Card';
select office.dispatch();
select is(pg_temp.news(:'card'), 'queue_run queue_run', 'T4: a drag to another stage of the same state is a move as well');
update office.tasks set priority = 'high' where title = 'Card';
select office.dispatch();
select is(pg_temp.news(:'card'), 'queue_run queue_run', 'T4: what stays where it is enters nothing');
select office.move_task(:'card', 'done');
select office.move_task(:'card', 'todo');
select office.dispatch();
select is(pg_temp.news(:'card'), 'queue_run queue_run', 'T3: nor does a reopened Kanban task wake');

-- Reopened (T5)
select pg_temp.task('Work', 'ann') as work \gset
select office.dispatch();
select office.move_task(:'work', 'done');
select office.dispatch();
select office.move_task(:'work', 'todo');
select office.dispatch();
select is(pg_temp.news(:'work'), 'task_assigned reopened', 'T5: done to todo wakes the assignee as reopened');
update office.tasks set state = 'cancelled' where id = pg_temp.task_id(:'work');
select office.dispatch();
update office.tasks set state = 'todo' where id = pg_temp.task_id(:'work');
select office.dispatch();
select is(pg_temp.news(:'work'), 'task_assigned reopened reopened', 'T5: cancelled to todo as well, with another key');

-- update_task
select is((select (x).task from office.update_task(:'work', '{"title": "New", "priority": "high", "complexity": "max", "requires_approval": true}') as x), :'work', 'T1: fields are changed');
select results_eq(
  format('select t.title, t.priority, t.complexity, t.complexity_set_by, t.requires_approval from office.tasks as t where t.id = %L', pg_temp.task_id(:'work')),
  $$ values ('New', 'high', 'max', 'person', true) $$, 'T1 T13: … and who set the complexity is kept'
);
select is((pg_temp.refusal(format($$ select office.update_task(%L, '{"state": "done"}') $$, :'work'))).detail ->> 'code', 'unknown_field', 'T1: a state is moved, not set');
select is((pg_temp.refusal(format($$ select office.update_task(%L, '{"priority": "mighty"}') $$, :'work'))).detail ->> 'field', 'priority', 'I3: the field is named');
select is((pg_temp.refusal(format($$ select office.update_task(%L, '{"project": "nowhere"}') $$, :'work'))).state, 'PT404', 'I2: an unknown project');
select is((pg_temp.refusal(format($$ select office.update_task(%L, '["title"]') $$, :'work'))).detail ->> 'field', 'changes', 'I3: an object');

-- T14
select pg_temp.task('Whole', 'ann') as whole \gset
select (office.create_task('Part', parent => :'whole', assignee => 'acme/ann')).task as part \gset
select (office.create_task('Part of the part', parent => :'part', assignee => 'acme/ann')).task as leaf \gset
select pg_temp.claim();
select a.id as attempt from office.attempts as a join office.runs as r on r.id = a.run_id where r.task_id = pg_temp.task_id(:'leaf') or r.status = 'claimed' order by a.id limit 1 \gset
select office.archive_task(:'whole');
select is((select count(*) from office.tasks as t where t.title like 'Part%' and t.archived_at is not null), 2::bigint, 'T14: archiving a whole archives its parts, and theirs');
select office.dispatch();
select is(
  (select count(*) from office.runs as r join office.tasks as t on t.id = r.task_id where t.title in ('Whole', 'Part', 'Part of the part') and r.status in ('queued', 'claimed', 'running')),
  0::bigint, 'T14: their runs are stopped'
);
select pg_temp.task('Other whole') as other \gset
select (office.create_task('Other part', parent => :'other')).task as other_part \gset
delete from office.tasks where id = pg_temp.task_id(:'other');
select isnt((select t.deleted_at from office.tasks as t where t.title = 'Other part'), null, 'T14: by a hand-written DELETE as well');
select office.dispatch();
select is((select count(*) from office.wakeups as w where w.source = 'task_children_completed'), 0::bigint, 'T14: nobody is told of parts that went with their whole');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
