-- T9 as far as built: a task's work is done: done, or in_review where it must be approved.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(11);

select from office.create_agent('builder', executor => '{"command": ["/bin/true"]}');
select task as plain from office.create_task('plain') \gset
select task as guarded from office.create_task('guarded', requires_approval => true) \gset
select task as watched from office.create_task('watched') \gset
insert into office.task_participants (workspace_id, task_id, agent_id, role)
select t.workspace_id, t.id, a.id, 'approver' from office.tasks as t, office.agents as a where t.title = 'watched';
select m.state from office.tasks as t, office.move_task('t' || t.number, 'in_progress') as m;

select is((select state from office.complete_task(:'plain', 'All done.')), 'done', 'T9: done, when nobody must approve');
select is((select body from office.comments), 'All done.', 'T9: the summary is a comment');
select is((select state from office.complete_task(:'guarded')), 'in_review', 'T9: in review, when an approval is required');
select is((select state from office.complete_task(:'watched')), 'in_review', 'T9: in review, when it has an approver');
select is((select count(*) from office.comments), 1::bigint, 'T9: no summary, no comment');
select is((select state from office.complete_task(:'plain')), 'done', 'T2: completing what is done is a no-op');

-- There is no way round the approval.
select task as skipped from office.create_task('skipped', requires_approval => true) \gset
select is(
  (pg_temp.refusal(format('select * from office.move_task(%L, %L)', :'skipped', 'done'))).detail ->> 'code', 'move_refused',
  'T9: requires_approval: from todo it is not moved to done'
);
select from office.move_task(:'skipped', 'in_progress');
select is(
  (pg_temp.refusal(format('update office.tasks set state = %L where %L = %L || number', 'done', :'skipped', 't'))).state, 'PT409',
  'T9: nor by a plain UPDATE from in_progress'
);
select from office.move_task(:'skipped', 'blocked');
select is(
  (pg_temp.refusal(format('select * from office.complete_task(%L)', :'skipped'))).message, 'A task cannot go from blocked to in_review.',
  'T2: a task that is not under way is not completed'
);
select is(
  (pg_temp.refusal($$ select * from office.complete_task('t999') $$)).detail ->> 'code', 'not_found', 'I3: an unknown task'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
