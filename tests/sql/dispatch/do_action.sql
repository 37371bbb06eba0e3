-- What a run's result asks for (X8): carried out after its end as its agent, by the functions that it calls while it runs, each
-- recorded; one that is refused undoes nothing.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(21);

create function pg_temp.end_with(wakeup uuid, result jsonb)
returns text
language sql
as $$ select f.outcome from office.finish_attempt(pg_temp.attempt(wakeup), result) as f $$;

-- What became of a run's actions, in their order.
create function pg_temp.actions(wakeup uuid)
returns text[]
language sql
as $$
  select array_agg(concat_ws(' ', v.kind, v.detail -> 'action' ->> 'do', v.detail ->> 'reason') order by v.id)
  from office.activity as v
  where v.run_id = (pg_temp.run(wakeup)).id and v.kind like 'action%'
$$;

select pg_temp.scenario('actions', 'ann', 'bob');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.task('another''s', 'bob') as other \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.start(:'w');
select office.carry_out();
select is(pg_temp.end_with(:'w', jsonb_build_object('summary', 'did', 'actions', jsonb_build_array(
  '{"do": "comment", "body": "Half of it is done."}'::jsonb,
  jsonb_build_object('do', 'comment', 'body', 'Not mine.', 'task', :'other'),
  '{"do": "create-task", "title": "The other half", "description": "All of it.", "assignee": "bob"}'::jsonb,
  '{"do": "create-task", "title": "A third", "blocked_by": ["t0"]}'::jsonb,
  '{"do": "note-decision", "decision": "In halves."}'::jsonb,
  '{"do": "wake-self", "reason": "Look whether bob is done.", "payload": {"half": 2}}'::jsonb,
  '{"do": "fly"}'::jsonb, '"comment"'::jsonb, '{"do": "comment", "text": "x"}'::jsonb, '{"do": "move", "state": "todo", "task": "t0"}'::jsonb,
  '{"do": "move", "state": "blocked"}'::jsonb
))), 'succeeded', 'X8: a result may carry actions');
select is((select count(*)::integer from office.comments as c where c.task_id = pg_temp.task_id(:'task')), 0, 'X8: nothing is done under the gate');
select is(office.carry_out(), 11, 'X8: they are carried out after the end');
select is(pg_temp.actions(:'w'), array[
  'action_done comment',
  format('action_refused comment Task %s is not this run''s.', :'other'),
  'action_done create-task',
  'action_refused create-task No task "t0".',
  'action_done note-decision',
  'action_done wake-self',
  'action_refused fly An action is an object that says what to do.',
  'action_refused An action is an object that says what to do.',
  'action_refused comment "comment" has no field "text".',
  'action_refused move No task "t0".',
  'action_done move'
], 'X8: … in their order, each recorded, and one that is refused undoes nothing');
select results_eq(
  format($$ select c.body, a.name, c.author_account_id, c.attempt_id from office.comments as c join office.agents as a on a.id = c.author_agent_id where c.task_id = %L $$, pg_temp.task_id(:'task')),
  format($$ values ('Half of it is done.', 'ann', null::uuid, %L::uuid) $$, pg_temp.attempt(:'w')), 'X8: … as the agent, from its attempt'
);
select results_eq(
  format($$ select t.title, t.description, p.number, a.name, g.name from office.tasks as t join office.tasks as p on p.id = t.parent_id join office.agents as a on a.id = t.assignee_agent_id join office.agents as g on g.id = t.created_by_agent_id where t.parent_id = %L $$, pg_temp.task_id(:'task')),
  format($$ values ('The other half', 'All of it.', %s::bigint, 'bob', 'ann') $$, substr(:'task', 2)), 'X8, X2: … a part of its task'
);
select is((select t.state from office.tasks as t where t.id = pg_temp.task_id(:'task')), 'blocked', 'X8: … its task moved');
select results_eq(
  format($$ select v.detail ->> 'decision', v.run_id from office.activity as v where v.kind = 'decision_noted' and v.attempt_id = %L $$, pg_temp.attempt(:'w')),
  format($$ values ('In halves.', %L::uuid) $$, (pg_temp.run(:'w')).id), 'X8: … a decision noted'
);
select results_eq(
  format($$ select w.payload ->> 'reason', w.depth, w.task_id from office.wakeups as w where w.source = 'self' and w.attempt_id = %L $$, pg_temp.attempt(:'w')),
  format($$ values ('Look whether bob is done.', 1, %L::uuid) $$, pg_temp.task_id(:'task')), 'X8, Q27: … woken again, one deeper'
);
select is((select count(*)::integer from office_internal.changes as c where c.kind = 'action'), 0, 'X8: once');
select is(office.carry_out(), 0, 'X8: … and no more');

-- Only after a success, and whatever it is
select pg_temp.wake('ann', 'user') as w2 \gset
select pg_temp.claim();
select pg_temp.start(:'w2');
select office.stop('r' || (pg_temp.run(:'w2')).number);
select pg_temp.end_with(:'w2', '{"actions": [{"do": "wake-self", "reason": "again"}]}');
select is((select count(*)::integer from office_internal.changes as c where c.kind = 'action'), 0, 'X8, P2: a run that was stopped asks for nothing more');
select pg_temp.claim();
select pg_temp.wake('bob', 'user') as w3 \gset
select pg_temp.finish(w.id) from office.wakeups as w join office.runs as r on r.id = w.run_id and r.status = 'claimed' where w.workspace_id = (pg_temp.run(:'w')).workspace_id;
select pg_temp.claim();
select pg_temp.finish(w.id) from office.wakeups as w join office.runs as r on r.id = w.run_id and r.status = 'claimed' and w.id <> :'w3' where w.workspace_id = (pg_temp.run(:'w')).workspace_id;
select pg_temp.claim();
select is((pg_temp.run(:'w3')).status, 'claimed', 'bob works');
select pg_temp.end_with(:'w3', '{"actions": "all of them"}');
select office.carry_out();
select is(pg_temp.actions(:'w3'), array['action_refused An action is an object that says what to do.'], 'X8: what is no list is refused and recorded');
select is((pg_temp.run(:'w3')).result, 'succeeded', 'X8: … and the run has succeeded');
select pg_temp.wake('bob', 'user') as w4 \gset
select pg_temp.claim();
select pg_temp.end_with(:'w4', '{"actions": [{"do": "comment", "body": "where?"}, {"do": "complete"}]}');
select office.carry_out();
select is(pg_temp.actions(:'w4'), array['action_refused comment Which task?', 'action_refused complete Which task?'], 'X8: a run without a task names one');
select pg_temp.wake('bob', 'user') as w5 \gset
select pg_temp.claim();
select pg_temp.end_with(:'w5', '{"actions": null}');
select is(office.carry_out(), 0, 'X8: none is none');

-- The word that something is carried out counts for those who may carry out, and for what there is
select set_config('office.carrying', '999999999', true);
select is((select i.agent_id from office_internal.identity() as i), null, 'I6: a change that is not there makes nobody an agent');
insert into office_internal.changes (workspace_id, kind, agent_id, attempt_id, action)
select r.workspace_id, 'action', r.agent_id, r.attempt_id, '{"do": "fly"}' from pg_temp.run(:'w') as r;
select set_config('office.carrying', (select max(c.id)::text from office_internal.changes as c), true);
select is((select i.agent_id from office_internal.identity() as i), (pg_temp.run(:'w')).agent_id, 'X8: the change that is carried out says who acts');
select set_config('office.carrying', '', true);
select office.carry_out();
select is((select i.agent_id from office_internal.identity() as i), null, '… and afterwards the caller is who he was');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
