-- office_internal.wake_for_comments, office.create_channel, office.receive_message: whom comments wake (T7). sc-T7
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/refusal.psql
\ir ../support/acting.psql
select plan(21);

create function pg_temp.woken(comment uuid) returns text language sql as $$
  select string_agg(a.name || ':' || w.addresses, ' ' order by a.name)
  from office.wakeups as w join office.agents as a on a.id = w.agent_id
  where w.source = 'comment' and (w.payload ->> 'comment_id')::uuid = woken.comment
$$;
create function pg_temp.say(task text, body text) returns uuid language plpgsql as $$
declare v_id uuid;
begin
  v_id := office.add_comment(task, body);
  perform office.dispatch();
  return v_id;
end $$;

select pg_temp.scenario('acme', 'ann', 'Bob', 'bob-2', 'cy.d');
select pg_temp.task('Work', 'ann') as task \gset
select office.dispatch();
select is(pg_temp.woken(pg_temp.say(:'task', 'How far is it?')), 'ann:assignee', 'T7 sc-T7: a comment wakes the assignee');
select is(pg_temp.woken(pg_temp.say(:'task', 'What do you say, @bob?')), 'Bob:mentioned ann:assignee', 'T7 sc-T7: and who is mentioned, case aside');
select is(pg_temp.woken(pg_temp.say(:'task', 'see @bob-2')), 'ann:assignee bob-2:mentioned', 'T7: a longer name is no mention of the shorter');
select is(pg_temp.woken(pg_temp.say(:'task', 'ask @cy.d. And me@bob.example.')), 'ann:assignee cy.d:mentioned', 'T7: with a stop behind; an address is none');
select is(pg_temp.woken(pg_temp.say(:'task', '@ann and @ann')), 'ann:assignee', 'T7: the assignee hears once');
select is(
  (select w.idempotency_key from office.wakeups as w where w.source = 'comment' order by w.requested_at desc, w.id desc limit 1),
  (select 'comment:' || c.id from office.comments as c order by c.created_at desc, c.id desc limit 1), 'Q3: the key is the comment''s'
);

-- From inside a run
select pg_temp.claim();
select r.attempt_id as attempt from office.runs as r where r.status = 'claimed' and r.task_id = pg_temp.task_id(:'task') limit 1 \gset
select office.start_attempt(:'attempt');
select pg_temp.act(:'attempt');
select office.add_comment(:'task', 'Half of it; @bob, look; @ann is me') as own \gset
select pg_temp.act_no_more();
select office.dispatch();
select is(pg_temp.woken(:'own'), 'Bob:mentioned', 'T7 sc-T7: its own comment never wakes the author');
select is((select w.depth from office.wakeups as w where (w.payload ->> 'comment_id')::uuid = :'own'), 1, 'Q27: what comes from inside a run is deeper');
select office.finish_attempt(:'attempt');

-- Closed, not the office's, gone
select office.move_task(:'task', 'done');
select office.dispatch();
select is(pg_temp.woken(pg_temp.say(:'task', 'Thanks')), null, 'T7 sc-T7: on a done task the assignee is not woken');
select is(pg_temp.woken(pg_temp.say(:'task', 'Thanks @ann')), 'ann:mentioned', 'T7 sc-T7: … but who is mentioned is');
select office.create_workflow('board', '[{"name": "Doing", "state": "todo"}, {"name": "Ready", "state": "done"}]', 'acme') as board \gset
insert into office.tasks (workspace_id, workflow_id, title, assignee_agent_id)
select a.workspace_id, :'board', 'Kanban', a.id from office.agents as a where a.name = 'ann';
select 't' || number as kanban from office.tasks where title = 'Kanban' \gset
select is(pg_temp.woken(pg_temp.say(:'kanban', 'Hm @bob')), null, 'T3: a task that is not the office''s wakes nobody');
select office.archive_task(:'task');
select is(pg_temp.woken(pg_temp.say(:'task', 'Late @bob')), null, 'T7: nor an archived one');
insert into office.comments (workspace_id, task_id, author_account_id, body)
select t.workspace_id, t.id, office_internal.system_account(), 'by hand' from office.tasks as t where t.id = pg_temp.task_id(:'kanban');
select lives_ok('select office.dispatch()', 'T7: a hand''s row is a comment like any other');

-- Channels
select pg_temp.task('Room', 'ann') as room \gset
select office.dispatch();
select office.create_channel('#orders', :'room') as channel \gset
select m.comment_id as first from office.receive_message('#Orders', 'm1', 'Zoë', 'Where is it, @bob?') as m \gset
select results_eq(
  $$ select m.comment_id, m.duplicate from office.receive_message('#orders', 'm1', 'Zoë', 'Where is it, @bob?') as m $$,
  format('values (%L::uuid, true)', :'first'), 'T7: a message comes once per external id'
);
select is((select c.body from office.comments as c where c.id = :'first'), 'Zoë: Where is it, @bob?', 'T7: it is a comment of the channel''s task');
select office.dispatch();
select is(pg_temp.woken(:'first'), 'Bob:mentioned ann:assignee', 'T7: and wakes as every comment');
select is((pg_temp.refusal($$ select * from office.receive_message('#order', 'm2', 'Zoë', 'x') $$)).hint, 'Did you mean "#orders"?', 'I2: an unknown channel');
select is((pg_temp.refusal($$ select * from office.receive_message('#orders', '', 'Zoë', 'x') $$)).detail ->> 'field', 'external_id', 'I3: a message has an id');
select is((pg_temp.refusal(format('select office.create_channel(%L, %L)', '#orders', :'room'))).state, 'PT409', 'I3: a name is taken once');
select is((pg_temp.refusal(format('select office.create_channel(%L, %L)', '#kanban', :'kanban'))).detail ->> 'field', 'task', 'T7: bound to a task of the office workflow');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
