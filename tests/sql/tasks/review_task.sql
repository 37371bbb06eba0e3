-- office.review_task, office.complete_task and the reviews they lead to: rounds, verdicts, approvals (T9, T5). sc-T8, sc-T9
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/refusal.psql
\ir ../support/acting.psql
select plan(51);

create function pg_temp.step() returns void language plpgsql as $$
begin
  for n in 1..3 loop
    perform office.dispatch();
    perform office.carry_out();
  end loop;
  perform office.dispatch();
end $$;
create function pg_temp.state(task text) returns text language sql as $$ select state from office.tasks where 't' || number = task $$;
-- Who was woken for a task since it was asked last, and why.
create function pg_temp.news(task text) returns text language plpgsql as $$
declare v_news text;
begin
  select string_agg(a.name || ':' || w.source, ' ' order by a.name, w.source) into v_news
  from office.wakeups as w
  join office.agents as a on a.id = w.agent_id
  where w.task_id = pg_temp.task_id(task) and w.id > coalesce(nullif(current_setting('testing.seen', true), '')::uuid, '00000000-0000-0000-0000-000000000000');
  perform set_config('testing.seen', (select w.id::text from office.wakeups as w order by w.id desc limit 1), true);
  return v_news;
end $$;
-- The agent's run on a task is claimed and started; from here on the transaction acts as it.
create function pg_temp.act_on(task text, agent text) returns uuid language plpgsql as $$
declare v_attempt uuid;
begin
  perform pg_temp.claim();
  select r.attempt_id into v_attempt from office.runs as r join office.agents as a on a.id = r.agent_id
  where r.task_id = pg_temp.task_id(task) and a.name = agent and r.status in ('claimed', 'running');
  perform office.start_attempt(v_attempt);
  perform pg_temp.act(v_attempt);
  return v_attempt;
end $$;

-- An agent's runs are claimed and end well: its tasks' locks are free.
create function pg_temp.work_off(agent text) returns void language plpgsql as $$
begin
  perform pg_temp.claim();
  perform office.start_attempt(r.attempt_id), office.finish_attempt(r.attempt_id)
  from office.runs as r join office.agents as a on a.id = r.agent_id
  where a.name = work_off.agent and r.status = 'claimed';
  perform office.carry_out(), office.dispatch();
end $$;

select pg_temp.scenario('acme', 'ann', 'rev', 'app', 'other');

-- A person approves
select task as spec from office.create_task('Spec', assignee => 'acme/ann', requires_approval => true) \gset
select pg_temp.step();
select pg_temp.act_on(:'spec', 'ann') as attempt \gset
select is((select (x).state from office.complete_task(:'spec', 'Written.') as x), 'in_review', 'T9 sc-T8: what requires an approval goes to review');
select is((pg_temp.refusal(format('select office.review_task(%L, %L)', :'spec', 'approved'))).state, 'PT403', 'T9 sc-T8: nobody approves their own work');
select is((pg_temp.refusal(format('select office.move_task(%L, %L)', :'spec', 'done'))).state, 'PT409', 'T9: nor moves it to done');
select pg_temp.act_no_more();
select office.finish_attempt(:'attempt');
select pg_temp.step();
select results_eq(
  $$ select n.kind, n.subject, n.task, n.blocks from office.needs_me as n $$,
  format($$ values ('approval', 'task_review', %L, %L) $$, :'spec', :'spec' || ' is not done'), 'T9 sc-T8: one decision, the inbox item'
);
select is((select n.prompt from office.needs_me as n), format(E'Is %s done? "Spec"\n\nWritten.', :'spec'), 'T9: it says what was said');
select pg_temp.news(:'spec');
select is(
  (pg_temp.refusal(format('update office.tasks set state = ''done'' where id = %L', pg_temp.task_id(:'spec')))).state, 'PT409',
  'T9: no UPDATE gets around an approval'
);
select is((pg_temp.refusal(format('select office.review_task(%L, %L)', :'spec', 'maybe'))).detail ->> 'field', 'verdict', 'I3: approved or rejected');

-- Sent back with a note
select office.review_task(:'spec', 'rejected', 'Too short.');
select is((pg_temp.refusal(format('select office.review_task(%L, %L)', :'spec', 'approved'))).detail ->> 'code', 'already_answered', 'T9: one verdict a round');
select pg_temp.step();
select is(pg_temp.state(:'spec'), 'in_progress', 'T9 sc-T8: rejected, it is in progress again');
select is(pg_temp.news(:'spec'), 'ann:changes_requested', 'T9 sc-T8: the assignee is woken, once');
select is(
  (select c.body || ' ' || u.name from office.comments as c join office.accounts as u on u.id = c.author_account_id where c.body = 'Too short.'),
  (select 'Too short. ' || a.name from office.accounts as a where a.id = office_internal.system_account()), 'T9: the note is the reviewer''s comment'
);
select is(
  (select w.payload -> 'comment_ids' from office.wakeups as w where w.source = 'changes_requested'),
  (select jsonb_build_array(c.id) from office.comments as c where c.body = 'Too short.'), 'T9: … which the wake carries'
);
-- A new round
select office.complete_task(:'spec');
select pg_temp.step();
select is((select count(*) from office.needs_me as n where n.task = :'spec'), 1::bigint, 'T9: a new round asks anew');
select n.decision from office.needs_me as n where n.task = :'spec' \gset
select is((pg_temp.refusal(format('update office.tasks set state = ''done'' where id = %L', pg_temp.task_id(:'spec')))).state, 'PT409', 'T9: earlier verdicts count no longer');
select task as dependant from office.create_task('Build', assignee => 'acme/other', blocked_by => array[:'spec']) \gset
select pg_temp.step();
select is((select (x).status from office.answer(:'decision', 'approved') as x), 'answered', 'T9: to answer the decision is the same act');
select pg_temp.step();
select is(pg_temp.state(:'spec'), 'done', 'T9 sc-T8: approved, it is done');
select is(pg_temp.news(:'dependant'), 'other:task_blockers_resolved', 'T5 sc-T8: … and what waited for it is woken for');
select is((select count(*) from office.wakeups as w where w.source = 'approval_resolved'), 0::bigint, 'T9: it wakes by this rule, never by D6 as well');
select is((pg_temp.refusal(format('select office.answer(%L, %L)', :'decision', 'approved'))).state, 'PT409', 'T9 sc-T8: approved twice: 409');
select is((pg_temp.refusal(format('select office.review_task(%L, %L)', :'spec', 'approved'))).detail ->> 'code', 'not_in_review', 'T9: what is done is not reviewed');

-- Reviewers: rejections wait for the others
select task as work from office.create_task('Work', assignee => 'acme/ann') \gset
select office.add_participant(:'work', 'rev', 'reviewer');
select office.add_participant(:'work', 'app', 'approver');
select is((pg_temp.refusal(format('select office.add_participant(%L, %L, %L)', :'work', 'rev', 'judge'))).detail ->> 'field', 'role', 'I3: reviewer or approver');
select pg_temp.step();
select pg_temp.news(:'work');
select office.move_task(:'work', 'in_progress');
select is((pg_temp.refusal(format('select office.move_task(%L, %L)', :'work', 'done'))).state, 'PT409', 'T9: with an approver done is reached from review');
select is((select (x).state from office.complete_task(:'work') as x), 'in_review', 'T9: with approvers, to review');
select pg_temp.step();
select is(pg_temp.news(:'work'), 'app:review_requested rev:review_requested', 'T5: every reviewer and approver is woken');
select results_eq(
  $$ select a.name, w.payload ->> 'role', w.payload ->> 'round', w.addresses from office.wakeups as w join office.agents as a on a.id = w.agent_id
    where w.source = 'review_requested' order by a.name $$,
  $$ values ('app', 'approver', '1', 'approver'), ('rev', 'reviewer', '1', 'reviewer') $$, 'T9: … for its role, in this round'
);
select is((select count(*) from office.inbox as i where i.kind = 'task.review' and i.task = :'work'), 1::bigint, 'T9: an inbox item');
select pg_temp.work_off('ann');
select pg_temp.step();
select pg_temp.act_on(:'work', 'rev') as rev \gset
select office.review_task(:'work', 'rejected', 'No tests.');
select is((pg_temp.refusal(format('select office.review_task(%L, %L)', :'work', 'approved'))).detail ->> 'code', 'already_reviewed', 'T9: an agent judges once a round');
select pg_temp.act_no_more();
select office.finish_attempt(:'rev');
select pg_temp.step();
select is(pg_temp.state(:'work') || coalesce(pg_temp.news(:'work'), ''), 'in_review', 'T9 sc-T9: one rejects: nothing yet');
select pg_temp.act_on(:'work', 'app') as app \gset
select office.review_task(:'work', 'rejected', 'No docs.');
select pg_temp.act_no_more();
select office.finish_attempt(:'app');
select pg_temp.step();
select is(pg_temp.state(:'work') || ' ' || pg_temp.news(:'work'), 'in_progress ann:changes_requested', 'T9 sc-T9: the other answers: one wake');
select is(
  (select jsonb_array_length(w.payload -> 'comment_ids') from office.wakeups as w where w.task_id = pg_temp.task_id(:'work') and w.source = 'changes_requested'),
  2, 'T9 sc-T9: … with both'
);
select is((select count(*) from office.inbox as i where i.kind = 'task.review'), 0::bigint, 'T9: the inbox item is closed');

-- The second round is approved, and the assignee closes it himself
select pg_temp.work_off('ann');
select office.complete_task(:'work', wake_after_approval => true);
select pg_temp.step();
select is(pg_temp.news(:'work'), 'app:review_requested rev:review_requested', 'T9: a new round asks all again');
select office.remove_participant(:'work', 'rev');
select pg_temp.step();
select is(
  (select r.cancel_reason from office.runs as r join office.agents as a on a.id = r.agent_id where a.name = 'rev' and r.task_id = pg_temp.task_id(:'work') and r.status = 'cancelled'),
  'review_participant_changed', 'Q13.3: a removed reviewer''s queued run is cancelled at once'
);
select pg_temp.act_on(:'work', 'app') as app \gset
select office.review_task(:'work', 'approved', 'Good.');
select pg_temp.act_no_more();
select office.finish_attempt(:'app');
select pg_temp.step();
select is(pg_temp.state(:'work') || ' ' || pg_temp.news(:'work'), 'in_review ann:ready_to_close', 'T9: the last approval wakes the assignee when that was asked for');
select is((select (x).state from office.complete_task(:'work') as x), 'done', 'T9: … who closes it');

-- Without that the last approval closes it
select task as small from office.create_task('Small', assignee => 'acme/ann') \gset
select office.add_participant(:'small', 'app', 'approver');
select office.move_task(:'small', 'in_progress');
select office.complete_task(:'small');
select pg_temp.work_off('ann');
select pg_temp.step();
select is((pg_temp.refusal(format('update office.tasks set state = ''done'' where id = %L', pg_temp.task_id(:'small')))).state, 'PT409', 'T9: done is refused while an approver has not approved');
select pg_temp.act_on(:'small', 'app') as app \gset
select office.review_task(:'small', 'approved');
select pg_temp.act_no_more();
select office.finish_attempt(:'app');
select pg_temp.step();
select is(pg_temp.state(:'small'), 'done', 'T9: unanimous, it is done');

-- An approver that it is assigned to does not count; one that is not its reviewer is refused
select task as own from office.create_task('Own', assignee => 'acme/app') \gset
select office.add_participant(:'own', 'app', 'approver');
select office.move_task(:'own', 'in_progress');
select is((select (x).state from office.complete_task(:'own') as x), 'done', 'T9: nobody approves their own work: it needs none of itself');
select task as plain from office.create_task('Plain', assignee => 'acme/ann') \gset
select pg_temp.step();
select pg_temp.act_on(:'plain', 'ann') as attempt \gset
select is((pg_temp.refusal(format('select office.review_task(%L, %L)', :'work', 'approved'))).state, 'PT403', 'T9: an agent reviews what it takes part in');
select pg_temp.act_no_more();
select office.finish_attempt(:'attempt');

-- Sent back by hand
select pg_temp.step();
select office.move_task(:'plain', 'in_review');
select pg_temp.step();
select pg_temp.news(:'plain');
select office.add_comment(:'plain', 'Not yet.');
select office.move_task(:'plain', 'in_progress');
select office.dispatch();
select is(pg_temp.news(:'plain'), 'ann:comment ann:comment', 'T5: by hand, with a comment: the comment''s own wake, and the move''s');
select is((select count(distinct w.run_id) from office.wakeups as w where w.task_id = pg_temp.task_id(:'plain') and w.source = 'comment'), 1::bigint, 'T5: … in one run');
select testing.advance('1 minute');
select office.move_task(:'plain', 'in_review');
select office.dispatch();
select pg_temp.news(:'plain');
update office.tasks set state = 'in_progress' where id = pg_temp.task_id(:'plain');
select office.dispatch();
select is(pg_temp.news(:'plain'), 'ann:task_assigned', 'T5: by hand, without a comment since');

-- A review that is left asks nobody any more
select task as left from office.create_task('Left', assignee => 'acme/ann', requires_approval => true) \gset
select office.move_task(:'left', 'in_progress');
select office.complete_task(:'left');
select pg_temp.step();
select is((select count(*) from office.needs_me as n where n.task = :'left'), 1::bigint, 'T9: asked');
select n.decision as gone from office.needs_me as n where n.task = :'left' \gset
select office.move_task(:'left', 'cancelled');
select pg_temp.step();
select is((select count(*) from office.needs_me as n where n.task = :'left'), 0::bigint, 'T9: cancelled meanwhile: nobody is asked');
select is((pg_temp.refusal(format('select office.answer(%L, %L)', :'gone', 'approved'))).state, 'PT409', 'D3: … and a late answer is refused');

-- A person may judge before the dispatch has asked
select task as quick from office.create_task('Quick', assignee => 'acme/ann', requires_approval => true) \gset
select office.move_task(:'quick', 'in_progress');
select office.complete_task(:'quick');
select office.review_task(:'quick', 'approved', 'Fine.');
select pg_temp.step();
select is(pg_temp.state(:'quick'), 'done', 'T9: at once');
select is((select count(*) from office.decisions as d where d.task_id = pg_temp.task_id(:'quick')), 1::bigint, 'T9: one decision all the same');

-- By hand
select is(
  (pg_temp.refusal(format(
    'insert into office.task_reviews (workspace_id, task_id, round, account_id, verdict) select workspace_id, id, 1, %L, ''approved'' from office.tasks where id = %L',
    office_internal.system_account(), pg_temp.task_id(:'quick')
  ))).detail ->> 'code', 'not_in_review', 'T9: a verdict out of its round is refused to a hand'
);
select is((pg_temp.refusal($$ update office.task_reviews set verdict = 'approved' $$)).state, 'PT409', 'T9: a verdict stays');
update office.tasks set review_round = 7 where id = pg_temp.task_id(:'quick');
select is((select t.review_round from office.tasks as t where t.id = pg_temp.task_id(:'quick')), 1, 'T9: a round is counted by the state alone');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
