-- T15: what happens while a check runs: its task is moved, or worked on; where it is run; the ways around it.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/acting.psql
\ir ../support/checks.psql
select plan(31);

select pg_temp.scenario('checked', 'ann', 'rev');
select set_config('testing.worker', (select worker_id::text from office.register_worker('here', max_runs => 8)), true);
select office.create_project('site', '/srv/site', check_command => '["make", "test"]', workspace => 'checked');

-- Taken back while its check ran.
select task as one from office.create_task('One', assignee => 'ann', project => 'site', workspace => 'checked') \gset
select pg_temp.works('ann');
select office.complete_task(:'one');
select pg_temp.checks();
select office.move_task(:'one', 'todo');
select is(pg_temp.told(0), 'dropped', 'T15: of a task that was moved meanwhile, it is dropped');
select pg_temp.moves();
select is(pg_temp.state(:'one'), 'todo', 'T15: … and the task stays where it was put');
select office.move_task(:'one', 'in_progress');
select pg_temp.works('ann');
select office.complete_task(:'one');
select pg_temp.checks();
select office.move_task(:'one', 'todo');
select is(pg_temp.told(1), 'dropped', 'T15: a failure, too');
select is(pg_temp.claim(), '', 'T15: … and wakes nobody');
select is((select c.status from office.task_checks as c order by c.number desc limit 1), 'dropped', 'T15: … nor counts among max_check_rounds');
select office.move_task(:'one', 'cancelled');

-- Completed before the office has said that it is in progress.
select task as quick from office.create_task('Quick', assignee => 'ann', project => 'site', workspace => 'checked') \gset
select pg_temp.claim();
select pg_temp.act((select r.attempt_id from office.runs as r where r.status = 'claimed'));
select office.complete_task(:'quick');
select pg_temp.act_no_more();
select is((select c.from_state from office.task_checks as c order by c.number desc limit 1), 'todo', 'T5: asked for, still to do');
select office.start_attempt(e.id) from office.attempts as e where e.ended_at is null;
select office.carry_out();
select office.finish_attempt(e.id), office.confirm_cleanup(e.id, 0) from office.attempts as e where e.ended_at is null;
select is(pg_temp.checks(), :'quick' || ' make test in /srv/site', 'T15: checked');
select is(pg_temp.told(0), 'passed', 'T5, T15: that it began meanwhile is no move of somebody''s');
select pg_temp.moves();
select is(pg_temp.state(:'quick'), 'done', 'T15: … and it is done');

-- Worked on while its check ran.
select task as two from office.create_task('Two', assignee => 'ann', project => 'site', workspace => 'checked') \gset
select pg_temp.works('ann');
select office.complete_task(:'two');
select pg_temp.checks();
select office.add_comment(:'two', 'One thing more.');
select is(pg_temp.claim(), 'ann:comment', 'T15: a run of the task begins while its check runs');
select is(pg_temp.told(0, tree => 'x'), 'requested', 'T15: what passed is another tree than what is there now');
select is(pg_temp.checks(), null, 'T15: it is run again, not while that run goes on');
select matches((select string_agg(y.detail, '') from office.why(:'two') as y where y.event = 'waits'), 'to be done: make test, once r[0-9]+ has ended', 'I9: why says what it waits for');
select testing.advance('1 minute');
select office.start_attempt(e.id), office.finish_attempt(e.id), office.confirm_cleanup(e.id, 0) from office.attempts as e where e.ended_at is null;
select matches((select string_agg(y.detail, '') from office.why(:'two') as y where y.event = 'waits'), 'once a worker has room', 'I9: … or who');
select is(pg_temp.checks(), :'two' || ' make test in /srv/site', 'T15: … but after it');
select matches((select string_agg(y.detail, '') from office.why(:'two') as y where y.event = 'waits'), 'which runs on here', 'I9: … or where it runs');
-- One that has come and gone.
select testing.advance('1 minute');
select office.add_comment(:'two', 'And this.');
select pg_temp.works('ann');
select is(pg_temp.told(1), 'requested', 'T15: nor when that run has ended before the check');
select is(pg_temp.checks(), :'two' || ' make test in /srv/site', 'T15: again');
select is(pg_temp.told(2), 'failed', 'T15: undisturbed, it counts');
select ok(
  exists (select from office.why(:'two') as y where y.event = 'check failed' and y.detail like '%exit code 2' and y.lift like 'select output %'), 'I9: why says how it ended'
);
select pg_temp.works('ann');

-- In the folder that its agent works in, as a launch has it.
select office.update_task(:'two', '{"executor": {"command": ["true"], "folder": "/srv/own"}}');
select office.complete_task(:'two');
select is(pg_temp.checks(), :'two' || ' make test in /srv/own', 'T15: an executor''s own folder');
select pg_temp.told(1); select pg_temp.works('ann');
select office.update_project('site', '{"isolation": "worktree"}', 'checked');
select office.complete_task(:'two');
select is(pg_temp.checks(), :'two' || ' make test in /srv/own', 'T15, X9: … in a project of worktrees, too');
select pg_temp.told(0); select pg_temp.moves();
select task as three from office.create_task('Three', assignee => 'ann', project => 'site', workspace => 'checked') \gset
select pg_temp.works('ann');
select office.complete_task(:'three');
select is(pg_temp.checks(), :'three' || ' make test in /srv/site.worktrees/' || :'three' || '-ann', 'T15, X9: its worktree');
select pg_temp.told(0); select pg_temp.moves();
select task as four from office.create_task('Four', assignee => 'rev', project => 'site', workspace => 'checked') \gset
select office.move_task(:'four', 'done');
select is(pg_temp.checks(), :'four' || ' make test in /srv/site', 'T15, X9: one that nobody worked in is not made for it');
select pg_temp.told(0); select pg_temp.moves();

-- Ways around it.
select task as five from office.create_task('Five', assignee => 'ann', project => 'site', workspace => 'checked') \gset
select is(
  pg_temp.code(format($$ update office.tasks set state = 'done', project_id = null where 't' || number = %L $$, :'five')),
  'PT409 check_needed state', 'T15: an UPDATE that takes it out of its project as well'
);
select is(
  pg_temp.code(
    format(
      $$ update office.tasks as t set stage_id = s.id
         from office.stages as s where 't' || t.number = %L and s.workflow_id = t.workflow_id and s.state = 'done' $$, :'five'
    )
  ),
  'PT409 check_needed state', 'T15, T4: a drag by hand that names the stage only'
);
select pg_temp.claim();
select pg_temp.act((select r.attempt_id from office.runs as r where r.status = 'claimed'));
select is(
  pg_temp.code(format($$ select office.update_task(%L, '{"project": null}') $$, :'five')), 'PT403 forbidden project', 'T15: an agent takes its task out of no check'
);
select pg_temp.act_no_more();
select office.start_attempt(e.id), office.finish_attempt(e.id), office.confirm_cleanup(e.id, 0) from office.attempts as e where e.ended_at is null;

-- A stage that is named.
select office.create_workflow('board', '[{"name": "New", "state": "todo"}, {"name": "Out", "state": "done", "check": ["make", "a"]}, {"name": "Live", "state": "done", "check": ["make", "b"]}]', 'checked') as flow \gset
insert into office.tasks (workspace_id, workflow_id, title) select w.id, :'flow', 'Card' from office.workspaces as w where w.name = 'checked';
select office.move_task('t' || t.number, 'Live') from office.tasks as t where t.title = 'Card';
select is((select string_agg(c.command ->> 1, ' ') from office.claim_checks(current_setting('testing.worker')::uuid, 10) as c), 'b', 'T15: the check of the stage that was named');
select pg_temp.told(0); select pg_temp.moves();
select is((select g.name from office.tasks as t join office.stages as g on g.id = t.stage_id where t.title = 'Card'), 'Live', 'T15, T4: … and into that one');
select is(pg_temp.code($$ select office.create_workflow('w', '[{"name": "A", "state": "todo", "check": ["x"]}]', 'checked') $$), 'PT422 invalid stages', 'T15: nothing is checked on the way elsewhere');
select is_empty('select * from office.audit()', 'Q26: the books are in order');
select * from finish();
rollback;
