-- T15: done means checked: no way into review or done but by a check that has passed; what fails goes back; who asks, and who tells.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/acting.psql
\ir ../support/checks.psql
select plan(51);

select pg_temp.scenario('checked', 'ann', 'rev');
select set_config('testing.worker', (select worker_id::text from office.register_worker('here', max_runs => 8)), true);

-- What a check can be.
select is(pg_temp.code($$ select office.create_project('p', '/srv/p', check_command => '[]', workspace => 'checked') $$), 'PT422 invalid check_command', 'T15: no empty command');
select is(pg_temp.code($$ select office.create_project('p', '/srv/p', check_command => '"make"', workspace => 'checked') $$), 'PT422 invalid check_command', 'T15: a list of texts');
select is(pg_temp.code($$ select office.create_project('p', '/srv/p', check_command => '["make", 7]', workspace => 'checked') $$), 'PT422 invalid check_command', 'T15: … of texts alone');
select is(pg_temp.code($$ select office.create_workflow('w', '[{"name": "A", "state": "todo", "check": "x"}]', 'checked') $$), 'PT422 invalid stages', 'T15: the same for a stage');
select office.create_project('site', '/srv/site', check_command => '["make", "test"]', workspace => 'checked');
select is(pg_temp.code($$ select office.update_project('site', '{"check": "make"}', 'checked') $$), 'PT422 invalid check_command', 'T15: … when it is changed');

-- No UPDATE gets around it.
select task as one from office.create_task('One', assignee => 'ann', project => 'site', workspace => 'checked') \gset
select pg_temp.works('ann');
select is(pg_temp.state(:'one'), 'in_progress', 'T5: under way');
select is(pg_temp.code(format($$ update office.tasks set state = 'done' where 't' || number = %L $$, :'one')), 'PT409 check_needed state', 'T15: a plain UPDATE to done');
select is(pg_temp.code(format($$ update office.tasks set state = 'in_review' where 't' || number = %L $$, :'one')), 'PT409 check_needed state', 'T15: … to in_review');

-- Asked for once, run, failed: it goes back with what was printed.
select is((office.complete_task(:'one')).state, 'in_progress', 'T15: completed, it stays until it has passed');
select office.move_task(:'one', 'done');
select is((select count(*) from office.task_checks), 1::bigint, 'T15: asked for once');
select is(pg_temp.code(format($$ update office.tasks set state = 'done' where 't' || number = %L $$, :'one')), 'PT409 check_needed state', 'T15: asking is not passing');
select is(pg_temp.checks(), :'one' || ' make test in /srv/site', 'T15: the command, in the task''s tree');
select is(pg_temp.checks(), null, 'T15: by one worker');
select is(pg_temp.code(format($$ update office.tasks set state = 'done' where 't' || number = %L $$, :'one')), 'PT409 check_needed state', 'T15: nor is running');
select is(pg_temp.told(2, 'test_login FAILED'), 'failed', 'T15: it fails');
select is(pg_temp.code($$ select office.finish_check((select c.id from office.task_checks as c), current_setting('testing.worker')::uuid, 0) $$), 'PT409 check_superseded', 'T15: told once');
select pg_temp.moves();
select is(pg_temp.state(:'one'), 'in_progress', 'T15: the task stays');
select is(pg_temp.claim(), 'ann:changes_requested', 'T15: the assignee is woken, once');
select matches(
  (select p.assembled_prompt from office.attempt_prompts as p order by p.attempt_id desc limit 1),
  E'The check of task t[0-9]+ has failed \\(exit code 2\\): make test\\..*test_login FAILED', 'T15, C1: … with its output'
);
select matches((select p.assembled_prompt from office.attempt_prompts as p order by p.attempt_id desc limit 1), E'```text\ntest_login FAILED\n```', 'C3: fenced');

-- While its run works there, the check waits.
select office.complete_task(:'one');
select is(pg_temp.checks(), null, 'T15: not while a run of the task is under way');
select office.start_attempt(e.id), office.finish_attempt(e.id), office.confirm_cleanup(e.id, 0) from office.attempts as e where e.ended_at is null;
select is(pg_temp.checks(), :'one' || ' make test in /srv/site', 'T15: then it is run');
select is(pg_temp.told(0, tree => 'tree-1'), 'passed', 'T15: it passes');
select pg_temp.moves();
select is(pg_temp.state(:'one'), 'done', 'T15: the task is done');
select is((select c.status from office.task_checks as c order by c.number desc limit 1), 'used', 'T15: good for one move');

-- Open again: what has passed before says nothing, but that the tree need not be run when it is the same.
select office.move_task(:'one', 'todo');
select pg_temp.works('ann');
select is(pg_temp.code(format($$ update office.tasks set state = 'done' where 't' || number = %L $$, :'one')), 'PT409 check_needed state', 'T15: a used check is used');
select office.move_task(:'one', 'done');
select is(pg_temp.checks(), :'one' || ' make test in /srv/site seen tree-1', 'T15, D2: bound to the tree: the worker is told which has passed');
select pg_temp.told(0, tree => 'tree-1');
select pg_temp.moves();
select is(pg_temp.state(:'one'), 'done', 'T15: moved, as who asked');
select is(
  (select a.name from office.activity as v join office.accounts as a on a.id = v.account_id where v.kind = 'task_moved' and v.detail ->> 'to' = 'done' order by v.id desc limit 1),
  'system', 'T15: the move is his who wanted it'
);

-- Another command: what passed with the old one does not count.
select office.move_task(:'one', 'todo');
select pg_temp.works('ann');
select office.update_project('site', '{"check": ["make", "all"]}', 'checked');
select office.move_task(:'one', 'done');
select is(pg_temp.checks(), :'one' || ' make all in /srv/site', 'T15: another command is another check');

-- Three failures in a row: a person.
select pg_temp.told(1); select pg_temp.works('ann');
select office.complete_task(:'one'); select pg_temp.checks(); select pg_temp.told(1); select pg_temp.works('ann');
select is((select count(*) from office.inbox_items as i where i.kind = 'task.check'), 0::bigint, 'T15: two go back');
select office.complete_task(:'one'); select pg_temp.checks(); select pg_temp.told(1);
select is((select count(*) from office.inbox_items as i where i.kind = 'task.check' and i.closed_at is null), 1::bigint, 'T15: the third goes to the inbox');
select is(pg_temp.claim(), '', 'T15: … and wakes nobody');
select office.complete_task(:'one'); select pg_temp.checks(); select pg_temp.told(0); select pg_temp.moves();
select is((select count(*) from office.inbox_items as i where i.kind = 'task.check' and i.closed_at is null), 0::bigint, 'T15: passed, the item is closed');
select is(pg_temp.state(:'one'), 'done', 'T15: a person''s completing moves it');

-- With an approver: before review, and again before done, by the approval's own move.
select task as two from office.create_task('Two', assignee => 'ann', project => 'site', workspace => 'checked') \gset
select office.add_participant(:'two', 'rev', 'approver');
select pg_temp.works('ann');
select office.complete_task(:'two');
select is((select c.target from office.task_checks as c order by c.number desc limit 1), 'in_review', 'T15: before review');
select pg_temp.checks(); select pg_temp.told(0, tree => 'tree-2'); select pg_temp.moves();
select is(pg_temp.state(:'two'), 'in_review', 'T15, T9: passed, it is in review');
select pg_temp.claim() as asked \gset
select pg_temp.act((select r.attempt_id from office.runs as r join office.agents as a on a.id = r.agent_id where a.name = 'rev' and r.status = 'claimed'));
select office.review_task(:'two', 'approved');
select pg_temp.act_no_more();
select office.start_attempt(e.id), office.finish_attempt(e.id), office.confirm_cleanup(e.id, 0) from office.attempts as e where e.ended_at is null;
select office.dispatch(); select pg_temp.moves();
select is(pg_temp.state(:'two'), 'in_review', 'T15: approved, it waits for its check');
select is(pg_temp.checks(), :'two' || ' make all in /srv/site seen tree-2', 'T15: … which looks whether the tree has changed since');
select pg_temp.told(0, tree => 'tree-3'); select pg_temp.moves();
select is(pg_temp.state(:'two'), 'done', 'T15: and is done');

-- A worker that ends: another runs it. One that tells late is refused.
select task as three from office.create_task('Three', assignee => 'ann', project => 'site', workspace => 'checked') \gset
select pg_temp.works('ann');
select office.complete_task(:'three');
select pg_temp.checks();
select office.expire_worker(current_setting('testing.worker')::uuid);
select set_config('testing.old', current_setting('testing.worker'), true);
select set_config('testing.worker', (select worker_id::text from office.register_worker('there', max_runs => 8)), true);
select is(pg_temp.checks(), :'three' || ' make all in /srv/site', 'T15: a dead worker''s check is run by another');
select is(
  pg_temp.code($$ select office.finish_check(pg_temp.running(), current_setting('testing.old')::uuid, 0) $$), 'PT409 check_superseded', 'T15: whose word counts no more'
);
select pg_temp.told(0); 
-- Moved by hand meanwhile: what was to be moved is no longer so.
select office.move_task(:'three', 'todo');
select pg_temp.moves();
select is(pg_temp.state(:'three'), 'todo', 'T15: a pass moves only what is still where it was');

-- Cancelled: nobody checks it.
select office.move_task(:'three', 'in_progress');
select pg_temp.works('ann');
select office.complete_task(:'three');
select office.move_task(:'three', 'cancelled');
select office.dispatch();
select is(pg_temp.checks(), null, 'T15: a cancelled task is not checked');

-- A stage's own check, a task that has none, and a long output.
select office.create_workflow('kanban', '[{"name": "Doing", "state": "in_progress"}, {"name": "Out", "state": "done", "check": ["make", "lint"]}, {"name": "New", "state": "todo"}]', 'checked') as flow \gset
insert into office.tasks (workspace_id, workflow_id, title) select w.id, :'flow', 'Card' from office.workspaces as w where w.name = 'checked';
select is(pg_temp.code($$ update office.tasks set state = 'done' where title = 'Card' $$), 'PT409 check_needed state', 'T15: a stage''s check holds for a board''s drag');
select office.move_task('t' || t.number, 'Out') from office.tasks as t where t.title = 'Card';
select is((select string_agg(c.command ->> 1, ' ') from office.claim_checks(current_setting('testing.worker')::uuid, 10) as c where c.folder is null), 'lint', 'T15: the stage''s command; without a folder');
select is(pg_temp.told(null, repeat('é', 60000)), 'failed', 'T15: what could not be run has failed');
select is((select octet_length(c.output) <= 65536 and c.output like '%é' from office.task_checks as c order by c.number desc limit 1), true, 'T15: the end of a long output is kept');
select task as free from office.create_task('Free', assignee => 'ann', workspace => 'checked') \gset
select pg_temp.works('ann');
select is((office.complete_task(:'free')).state, 'done', 'T15: no check, no wait');
select is(pg_temp.code(format($$ select office.move_task(%L, 'in_review') $$, :'one')), 'PT409 move_refused state', 'T2: a move that is none is refused at once');
select is_empty('select * from office.audit()', 'Q26: the books are in order');
select * from finish();
rollback;
