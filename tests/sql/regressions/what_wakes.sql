-- What stood still for ever, or was woken for without end: assignments in every state, stages that start work, keys of purged wakeups,
-- blockers that are taken away, rounds of a review that have passed, budgets without room (T4, T5, T6, T11, Q3, Q13.3).
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/acting.psql
select plan(27);

create function pg_temp.step() returns void language plpgsql as $$
begin
  for n in 1..3 loop
    perform office.dispatch();
    perform office.carry_out();
  end loop;
  perform office.dispatch();
end $$;
-- Who was woken for a task, in order.
create function pg_temp.woken(task text) returns text language sql as $$
  select string_agg(a.name || ':' || w.source, ' ' order by w.position)
  from office.wakeups as w
  join office.agents as a on a.id = w.agent_id
  where w.task_id = pg_temp.task_id(task)
$$;

select pg_temp.scenario('acme', 'ann', 'bob', 'cid');

-- Assignment starts work in every state but proposed and the ends.
select pg_temp.task('stuck') as stuck \gset
select office.move_task(:'stuck', 'in_progress');
select office.move_task(:'stuck', 'blocked');
select office.assign_task(:'stuck', 'ann');
select pg_temp.step();
select is(pg_temp.woken(:'stuck'), 'ann:task_assigned', 'T4, T6: assigned while in state blocked');
select pg_temp.task('judged') as judged \gset
select office.move_task(:'judged', 'in_progress');
select office.move_task(:'judged', 'in_review');
select office.assign_task(:'judged', 'ann');
select pg_temp.step();
select is(pg_temp.woken(:'judged'), 'ann:task_assigned', 'T4, T6: assigned while in review');
select pg_temp.task('over') as over \gset
select office.move_task(:'over', 'done');
select office.assign_task(:'over', 'ann');
select pg_temp.step();
select is(pg_temp.woken(:'over'), null, 'T6: not when it is done');

-- From a stage that holds its agent back into one that starts it, in the same state, by a drag.
select office.create_workflow(
  'board', '[{"name": "Backlog", "state": "todo"}, {"name": "Ready", "state": "todo", "auto_start_agent": true}]', 'acme'
) as board \gset
select office.create_project('site', workspace => 'acme');
insert into office.tasks (workspace_id, workflow_id, title, assignee_agent_id, project_id)
select a.workspace_id, :'board', 'Card', a.id, p.id from office.agents as a, office.projects as p where a.name = 'ann';
select 't' || t.number as card from office.tasks as t where t.title = 'Card' \gset
select pg_temp.step();
select is(pg_temp.woken(:'card'), null, 'T6: held in a stage that does not start work');
update office.tasks as t set stage_id = s.id from office.stages as s where s.name = 'Ready' and t.id = pg_temp.task_id(:'card');
select pg_temp.step();
select is(pg_temp.woken(:'card'), 'ann:task_assigned', 'T4, T6: woken on entry of one that does');
select office.move_task(:'card', 'Backlog');
select pg_temp.step();
select is(pg_temp.woken(:'card'), 'ann:task_assigned', 'T4: not on the way back');

-- The numbers of keys go on where they were, whatever was purged.
select pg_temp.task('handed about', 'bob') as handed \gset
select office.assign_task(:'handed', 'cid'), office.assign_task(:'handed', 'bob');
select pg_temp.step();
select is(pg_temp.woken(:'handed'), 'bob:task_assigned bob:task_assigned', 'Q3 sc-T2: A, then B, then A');
set local session_replication_role = replica;
delete from office.wakeups as w where w.task_id = pg_temp.task_id(:'handed') and w.idempotency_key not like '%:2';
set local session_replication_role = origin;
select office.assign_task(:'handed', 'cid');
select pg_temp.step();
select office.assign_task(:'handed', 'bob');
select pg_temp.step();
select is(
  pg_temp.woken(:'handed'), 'bob:task_assigned cid:task_assigned bob:task_assigned', 'Q3: A again after its first wakeup was purged'
);
select matches(
  (select w.idempotency_key from office.wakeups as w where w.task_id = pg_temp.task_id(:'handed') order by w.id desc limit 1), ':3$',
  'Q3: … with the next number'
);

-- The last blocker is taken away, open or ended.
select pg_temp.task('in the way') as way \gset
select pg_temp.task('waits', 'cid', array[:'way']) as waits \gset
select pg_temp.step();
select is(pg_temp.woken(:'waits'), null, 'T6: assigned while blocked: no wake');
select office.remove_blocker(:'waits', :'way');
select pg_temp.step();
select is(pg_temp.woken(:'waits'), 'cid:task_blockers_resolved', 'T5, T6: the last blocker taken away: one wake');
select testing.advance('10 seconds');
select pg_temp.look();
select pg_temp.claim();
select matches(
  (select p.assembled_prompt from office.attempt_prompts as p join office.runs as r on r.attempt_id = p.attempt_id
    where r.task_id = pg_temp.task_id(:'waits')),
  'waits for no other any more', 'C1: its prompt says so'
);
select pg_temp.task('ends first') as ended \gset
select pg_temp.task('waits for both', 'cid', array[:'way', :'ended']) as both \gset
select office.move_task(:'ended', 'done');
select pg_temp.step();
select office.remove_blocker(:'both', :'ended');
select pg_temp.step();
select is(pg_temp.woken(:'both'), null, 'T5: one that has ended taken away while another is open: no wake');
select office.move_task(:'way', 'done');
-- Before anybody looks: what has ended is no blocker's row any more.
select office.remove_blocker(:'both', :'way');
select pg_temp.step();
select is(pg_temp.woken(:'both'), 'cid:task_blockers_resolved', 'T5: ended, and taken away before the dispatch: one wake');
select pg_temp.task('done once') as once \gset
select pg_temp.task('woken once', 'cid', array[:'once']) as woken \gset
select pg_temp.step();
select office.move_task(:'once', 'done');
select pg_temp.step();
delete from office.task_blockers where task_id = pg_temp.task_id(:'woken');
select pg_temp.step();
select is(pg_temp.woken(:'woken'), 'cid:task_blockers_resolved', 'T5: a hand''s DELETE of one that has ended and was told of: no second wake');
select pg_temp.task('proposed', 'cid') as proposed \gset
select office.move_task(:'proposed', 'proposed');
select office.add_blocker(:'proposed', :'handed');
select pg_temp.step();
select office.remove_blocker(:'proposed', :'handed');
select pg_temp.step();
select is(pg_temp.woken(:'proposed'), null, 'T4: a proposed task''s agent is not woken by its blockers');

-- A round of a review that has passed
select office.set_setting('recovery_lookback_hours', '1', 'acme');
select pg_temp.task('reviewed', 'ann') as reviewed \gset
select office.add_participant(:'reviewed', 'bob', 'reviewer');
select office.move_task(:'reviewed', 'in_progress');
select office.move_task(:'reviewed', 'in_review');
select pg_temp.step();
create function pg_temp.reviews(task text) returns text language sql as $$
  select string_agg(r.result, ' ' order by r.number) from office.runs as r join office.agents as a on a.id = r.agent_id
  where r.task_id = pg_temp.task_id(task) and a.name = 'bob'
$$;
select is(pg_temp.reviews(:'reviewed'), 'queued', 'T5: the reviewer is woken');
select office.move_task(:'reviewed', 'in_progress');
select pg_temp.step();
select is(pg_temp.reviews(:'reviewed'), 'review_participant_changed', 'Q13.3: sent back before he came: his run is stale');
select office.move_task(:'reviewed', 'in_review');
select pg_temp.step();
select is(pg_temp.reviews(:'reviewed'), 'review_participant_changed queued', 'T9: the next round has a run of its own');
-- Whoever is deleted is waited for no longer, and can be taken out.
select office.create_agent('gone', '{"command": ["/bin/true"]}', workspace => 'acme');
select office.add_participant(:'reviewed', 'gone', 'reviewer');
select office.add_participant(:'reviewed', 'gone', 'approver');
select pg_temp.step();
select matches(
  (select i.body from office.inbox_items as i where i.task_id = pg_temp.task_id(:'reviewed') and i.kind = 'task.review'),
  'gone have approved it', 'T9: the inbox says who is waited for'
);
delete from office.agents where name = 'gone';
select pg_temp.step();
select lives_ok(format('select office.remove_participant(%L, %L, %L)', :'reviewed', 'gone', 'approver'), 'T9: a deleted approver can be taken out');
insert into office.task_reviews (workspace_id, task_id, round, agent_id, verdict)
select t.workspace_id, t.id, t.review_round, a.id, 'approved' from office.tasks as t, office.agents as a
where t.id = pg_temp.task_id(:'reviewed') and a.name = 'bob';
select pg_temp.step();
select is(
  (select t.state from office.tasks as t where t.id = pg_temp.task_id(:'reviewed')), 'done', 'T9: a deleted reviewer is not waited for'
);

-- An agent does not do without its approvers.
select office.create_agent('dan', '{"command": ["/bin/true"]}', workspace => 'acme');
select pg_temp.task('checked', 'dan') as checked \gset
select office.add_participant(:'checked', 'bob', 'approver');
select pg_temp.step();
select testing.advance('1 minute');
select pg_temp.claim();
select pg_temp.act(r.attempt_id) from office.runs as r where r.task_id = pg_temp.task_id(:'checked');
select throws_ok(
  format('select office.remove_participant(%L, %L)', :'checked', 'bob'), 'PT403', null, 'T9: whom a task needs is for people to say'
);
select pg_temp.act_no_more();

-- A budget without room: recovery does not wake for what would be refused.
select pg_temp.scenario('thrift', 'tom');
select office.set_budget('agent:thrift/tom', 100, action_on_exceed => 'block_new_tasks', run_estimate_cents => 0);
select pg_temp.task('dear', 'tom') as dear \gset
delete from office_internal.signals where task_id = pg_temp.task_id(:'dear');
insert into office.usage_events (workspace_id, usage_event_id, agent_id, account, cost_cents)
select a.workspace_id, 'e1', a.id, 'included', 100 from office.agents as a where a.name = 'tom';
select testing.advance('1 minute');
create function pg_temp.recovered() returns integer language sql as $$
  select count(*)::integer from office.wakeups as w where w.task_id = (select t.id from office.tasks as t where t.title = 'dear')
$$;
select office.maintain();
select is(pg_temp.recovered(), 0, 'T11: a task whose budget is spent is passed over');
select office.set_budget('agent:thrift/tom', 101, run_estimate_cents => 2);
select testing.advance('1 minute');
select office.maintain();
select is(pg_temp.recovered(), 0, 'T11: … or has no room for one more run');
select office.set_budget('agent:thrift/tom', 200);
select testing.advance('1 minute');
select office.maintain();
select is(pg_temp.recovered(), 1, 'T11: … and woken for when there is room');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
