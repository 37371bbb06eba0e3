-- office_internal.settle_queued and stale_runs: queued runs of which nothing is wanted any more are cancelled, each with its reason (Q13.2, Q13.3);
-- only when all their wakeups are stale. sc-W13
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(34);

-- A task of ann's with its queued run.
create function pg_temp.assigned(name text)
returns text
language plpgsql
as $$
declare
  v_task text;
begin
  perform pg_temp.scenario(name, 'ann', 'bob', 'rev');
  v_task := pg_temp.task('the task', 'ann');
  perform pg_temp.look();
  return v_task;
end
$$;
create function pg_temp.first_of(task text)
returns uuid
language sql
as $$ select w.id from office.wakeups as w where w.task_id = pg_temp.task_id(task) order by w.requested_at, w.id limit 1 $$;
create function pg_temp.add_participant(task text, agent text, role text)
returns void
language sql
as $$
  insert into office.task_participants (workspace_id, task_id, agent_id, role)
  select t.workspace_id, t.id, a.id, add_participant.role
  from office.tasks as t
  join office.agents as a on a.workspace_id = t.workspace_id and a.name = add_participant.agent
  where t.id = pg_temp.task_id(task)
$$;

select pg_temp.assigned('reassigned') as task \gset
select pg_temp.first_of(:'task') as w \gset
select office.assign_task(:'task', 'bob');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'assignee_changed', 'Q13.3, sc-W13: task reassigned between wake and claim → assignee_changed');
select results_eq(
  format($$ select kind, agent_id, task_id, detail ->> 'reason' from office.activity where run_id = %L and kind <> 'run_ended' $$, (pg_temp.run(:'w')).id),
  format($$ values ('wakeup_stale_cancelled', %L::uuid, %L::uuid, 'assignee_changed') $$, (pg_temp.run(:'w')).agent_id, pg_temp.task_id(:'task')),
  'Q13.3: … with activity'
);
select is((pg_temp.wakeup(:'w')).status || ' ' || (pg_temp.wakeup(:'w')).reason, 'cancelled assignee_changed', 'Q10: … and the wakeup');
select office_internal.settle_queued(array[(pg_temp.run(:'w')).id]);
select is((select count(*)::integer from office.activity as v where v.run_id = (pg_temp.run(:'w')).id), 2, 'Q13.3: cancelling is idempotent');
select is(pg_temp.claim(), 'bob:task_assigned', 'T6: the new assignee is launched');

select pg_temp.assigned('unassigned') as task \gset
select pg_temp.first_of(:'task') as w \gset
update office.tasks set assignee_agent_id = null where id = pg_temp.task_id(:'task');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'assignee_changed', 'Q13.3: … or taken away');

select pg_temp.assigned('there-and-back') as task \gset
select pg_temp.first_of(:'task') as w \gset
select office.assign_task(:'task', 'bob');
select office.assign_task(:'task', 'ann');
select pg_temp.look();
select is((pg_temp.run(:'w')).status, 'queued', 'Q13.3: given to another and back before anybody looked → wanted as before');

select pg_temp.assigned('done') as task \gset
select pg_temp.first_of(:'task') as w \gset
select office.move_task(:'task', 'done');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'task_terminal', 'Q13.3, sc-W13: done → task_terminal');
select pg_temp.assigned('cancelled') as task \gset
select pg_temp.first_of(:'task') as w \gset
select office.move_task(:'task', 'cancelled');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'task_terminal', 'Q13.3: cancelled → task_terminal');
select pg_temp.assigned('archived') as task \gset
select pg_temp.first_of(:'task') as w \gset
select office.archive_task(:'task');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'task_terminal', 'Q13.3: archived → task_terminal');
select pg_temp.assigned('deleted') as task \gset
select pg_temp.first_of(:'task') as w \gset
select office.delete_task(:'task');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'task_not_found', 'Q13.3, sc-W13: deleted → task_not_found');

-- The claim looks again: here no signal came.
select pg_temp.assigned('unseen') as task \gset
select pg_temp.first_of(:'task') as w \gset
update office.tasks set state = 'done' where id = pg_temp.task_id(:'task');
delete from office_internal.signals where task_id = pg_temp.task_id(:'task');
select is(pg_temp.claim() || (pg_temp.run(:'w')).result, 'task_terminal', 'Q13.3: the claim checks again');

-- Reviewers and approvers

select pg_temp.assigned('reviewer') as task \gset
select pg_temp.add_participant(:'task', 'rev', 'reviewer');
select pg_temp.wake('rev', 'review_requested', pg_temp.about(:'task', '{"role": "reviewer", "round": 1}')) as w \gset
update office.runs set status = 'cancelled' where task_id = pg_temp.task_id(:'task');
select is(pg_temp.claim(), 'rev:review_requested', 'Q13.3, sc-W13: a reviewer''s run on another''s task is claimed');
select pg_temp.assigned('reviewer-removed') as task \gset
select pg_temp.add_participant(:'task', 'rev', 'reviewer');
select pg_temp.wake('rev', 'review_requested', pg_temp.about(:'task', '{"role": "reviewer", "round": 1}')) as w \gset
select pg_temp.look();
delete from office.task_participants where task_id = pg_temp.task_id(:'task');
update office.runs set status = 'cancelled' where task_id = pg_temp.task_id(:'task') and reason = 'task_assigned';
select is(pg_temp.claim() || (pg_temp.run(:'w')).result, 'review_participant_changed', 'Q13.3, sc-W13: the reviewer removed → review_participant_changed');
select pg_temp.assigned('other-role') as task \gset
select pg_temp.add_participant(:'task', 'rev', 'approver');
select pg_temp.wake('rev', 'review_requested', pg_temp.about(:'task', '{"role": "reviewer", "round": 1}')) as w \gset
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'review_participant_changed', 'Q13.3: … an approver is no reviewer');
select pg_temp.assigned('review-closed') as task \gset
select pg_temp.add_participant(:'task', 'rev', 'reviewer');
select pg_temp.wake('rev', 'review_requested', pg_temp.about(:'task', '{"role": "reviewer", "round": 1}')) as w \gset
select pg_temp.look();
select office.move_task(:'task', 'done');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'task_terminal', 'Q13.3: a review of a closed task is stale');

-- Mentions

select pg_temp.assigned('mention') as task \gset
select office.move_task(:'task', 'done');
select pg_temp.wake('bob', 'user', pg_temp.about(:'task')) as w \gset
select is(pg_temp.claim(), 'bob:user', 'Q13.3, sc-W13: mentioned on a done task → launched');
select pg_temp.assigned('mention-archived') as task \gset
select pg_temp.wake('bob', 'user', pg_temp.about(:'task')) as w \gset
select pg_temp.look();
select office.archive_task(:'task');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'task_terminal', 'Q13.3: … on an archived one → stale');

-- Several wakeups

select pg_temp.assigned('one-stale') as task \gset
select pg_temp.first_of(:'task') as assigned \gset
select office.assign_task(:'task', 'bob');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as mention \gset
select pg_temp.look();
select is((pg_temp.run(:'mention')).id || ' ' || (pg_temp.run(:'mention')).status, (pg_temp.run(:'assigned')).id || ' queued', 'Q13.3, sc-W13: one of two merged wakeups stale → not cancelled');
select pg_temp.assigned('all-stale') as task \gset
select pg_temp.first_of(:'task') as first \gset
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as second \gset
select pg_temp.look();
select office.assign_task(:'task', 'bob');
select pg_temp.look();
select is((pg_temp.run(:'second')).result || ' ' || (pg_temp.run(:'second')).coalesced_count, 'assignee_changed 2', 'Q13.3: … all of them → cancelled');

-- A taskless run is never stale.
select pg_temp.scenario('taskless', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.look();
select is_empty(format('select * from office_internal.stale_runs(array[%L::uuid])', (pg_temp.run(:'w')).id), 'Q13.3: a run without a task is not stale');

-- Closing and live runs (T6, sc-T11)

select pg_temp.assigned('live-cancelled') as task \gset
select pg_temp.first_of(:'task') as w \gset
select pg_temp.claim();
select office.move_task(:'task', 'cancelled');
select pg_temp.look();
select is((pg_temp.run(:'w')).status, 'stopping', 'sc-T11: a cancelled task''s live run is asked to stop');
select is((select h.instruction from office.heartbeat(current_setting('testing.worker')::uuid) as h), 'stop', 'sc-T11: … by the next heartbeat');
select pg_temp.assigned('live-done') as task \gset
select pg_temp.first_of(:'task') as w \gset
select pg_temp.claim();
select office.move_task(:'task', 'done');
select pg_temp.look();
select is((pg_temp.run(:'w')).status, 'claimed', 'Q13.2: one that made its task done may end by itself');
select pg_temp.assigned('live-reassigned') as task \gset
select pg_temp.first_of(:'task') as w \gset
select pg_temp.wake('bob', 'user', pg_temp.about(:'task')) as mention \gset
select pg_temp.claim();
select office.assign_task(:'task', 'bob');
select pg_temp.look();
select is((pg_temp.run(:'w')).status, 'stopping', 'T6: the old assignee''s live run is stopped');

-- Stopping an agent is told in tests/sql/claim/claim_runs.sql; here what the dispatch reports.
select pg_temp.scenario('agent-stopped', 'ann', 'bob');
select pg_temp.wake('ann') as ann \gset
select pg_temp.wake('bob') as bob \gset
select pg_temp.look();
select office.stop('agent:agent-stopped/ann');
select is((pg_temp.run(:'ann')).result || ' ' || (pg_temp.run(:'bob')).status, 'agent_stopped queued', 'Q13.2, P2: stopping an agent ends its queued runs, and nobody else''s');

-- Deleted and archived at once, dispatched late: the first reason stands.
select pg_temp.assigned('gone') as task \gset
select pg_temp.first_of(:'task') as w \gset
select office.assign_task(:'task', 'bob');
select office.delete_task(:'task');
select pg_temp.look();
select is((pg_temp.run(:'w')).result, 'task_not_found', 'Q13.3: what is so when the dispatch looks counts');
select is(pg_temp.claim(), '', 'Q13.3: … and the new assignee is not woken for it');

-- Every signal is taken.
select is((select count(*)::integer from office_internal.signals as s join office.workspaces as w on w.id = s.workspace_id where w.name = 'gone' and s.kind <> 'look'), 0, 'Q8: the dispatch has taken every signal');

-- Dispatch by itself

select pg_temp.scenario('by-itself', 'ann');
select pg_temp.wake('ann');
select ok(office.dispatch() >= 1, 'Q4: office.dispatch takes the signals of all workspaces that the caller sees');
select is(office.dispatch(), 0, 'Q4: … once');
select is(pg_temp.claim(), 'ann:user', 'Q4, Q11: what a dispatch made ready the next claim finds');
select pg_temp.scenario('bursty', 'ann');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.look();
update office.runs set status = 'cancelled' where task_id = pg_temp.task_id(:'task');
select pg_temp.claim();
select pg_temp.wake('ann', 'task_children_completed', pg_temp.about(:'task'));
select pg_temp.look();
select pg_temp.claim();
select testing.advance('5 seconds');
select is(pg_temp.claim(), 'ann:task_children_completed', 'Q6, Q11: … and when its time has come, what it parked');

select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
