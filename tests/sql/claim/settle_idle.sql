-- office_internal.settle_idle: a periodic wake of an agent with nothing to do is skipped (Q13.4). sc-W14
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\set tick '''{"routine_id": "a0000000-0000-4000-8000-000000000001"}'''

select plan(23);

-- Defaults

select office.create_workspace('defaults');
select office.create_agent(role, role => role, workspace => 'defaults') from unnest(array['worker', 'specialist', 'assistant', 'ceo', 'coordinator']) as role;
select office.create_agent('asked', role => 'worker', skip_idle_wakeups => false, workspace => 'defaults');
select results_eq(
  $$ select name, skip_idle_wakeups from office.agents where workspace_id = (select id from office.workspaces where name = 'defaults') order by name $$,
  $$ values ('asked', false), ('assistant', true), ('ceo', false), ('coordinator', false), ('specialist', true), ('worker', true) $$,
  'Q13.4: worker, specialist and assistant skip unless asked not to; ceo and coordinator do not'
);

select pg_temp.scenario('idle', 'ann');
select office.update_agent('idle/ann', '{"skip_idle_wakeups": true}');
select pg_temp.wake('ann', 'routine', :tick) as w \gset
select pg_temp.look();
select is((pg_temp.run(:'w')).status, 'queued', 'Q13.4: skipped by the claim, not before');
select is(pg_temp.claim(), '', 'Q13.4, sc-W14: heartbeat of an idle worker → not launched');
select is(pg_temp.runs(), 'ann:routine:periodic:finished/idle_skipped:1', 'Q13.4, sc-W14: … idle_skipped');
select results_eq(
  format($$ select kind, agent_id, wakeup_id, detail from office.activity where run_id = %L and kind <> 'run_ended' $$, (pg_temp.run(:'w')).id),
  format($$ values ('wakeup_idle_skipped', %L::uuid, %L::uuid, '{"agent": "ann", "reason": "no_actionable_tasks"}'::jsonb) $$, (pg_temp.run(:'w')).agent_id, :'w'),
  'Q13.4, sc-W14: … with activity that names wakeup, agent and why'
);
select is((pg_temp.wakeup(:'w')).status || ' ' || (pg_temp.wakeup(:'w')).reason, 'finished idle_skipped', 'Q10: … the wakeup is finished');
select is((select l.last_wakeup_finished_at from office_internal.lanes as l where l.agent_id = (pg_temp.run(:'w')).agent_id), null, 'Q13.4: … and stamps no cooldown');

-- What is actionable

create function pg_temp.tick_with(name text, state text, assignee text default 'ann', gone text default null)
returns text
language plpgsql
as $$
declare
  v_task text;
begin
  perform pg_temp.scenario(name, 'ann', 'bob');
  perform office.update_agent(name || '/ann', '{"skip_idle_wakeups": true}');
  -- On no office workflow, so that it wakes nobody itself.
  v_task := pg_temp.task('the task', null);
  update office.tasks as t set snoozed_until = null, assignee_agent_id = (
    select a.id from office.agents as a join office.workspaces as w on w.id = a.workspace_id where w.name = tick_with.name and a.name = tick_with.assignee
  ) where t.id = pg_temp.task_id(v_task);
  if state in ('in_review', 'blocked', 'in_progress') then
    update office.tasks as t set state = 'in_progress' where t.id = pg_temp.task_id(v_task);
  end if;
  update office.tasks as t set state = tick_with.state where t.id = pg_temp.task_id(v_task) and t.state <> tick_with.state;
  update office.tasks as t set archived_at = case when gone = 'archived' then office.now() end, deleted_at = case when gone = 'deleted' then office.now() end
  where t.id = pg_temp.task_id(v_task);
  perform pg_temp.look();
  update office.runs as r set status = 'cancelled' where r.task_id = pg_temp.task_id(v_task) and r.status = 'queued';
  perform pg_temp.wake('ann', 'routine', '{"routine_id": "a0000000-0000-4000-8000-000000000001"}');
  perform pg_temp.claim();
  return (select r.result from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = tick_with.name order by r.number desc limit 1);
end
$$;
select is(pg_temp.tick_with('todo', 'todo'), 'claimed', 'Q13.4, sc-W14: with a TODO task → launched');
select is(pg_temp.tick_with('in-progress', 'in_progress'), 'claimed', 'Q13.4: with one in progress → launched');
select is(pg_temp.tick_with('in-review', 'in_review'), 'idle_skipped', 'Q13.4, sc-W14: with only in_review tasks → skipped');
select is(pg_temp.tick_with('blocked', 'blocked'), 'idle_skipped', 'Q13.4: … only blocked ones → skipped');
select is(pg_temp.tick_with('done', 'done'), 'idle_skipped', 'Q13.4: … only done ones → skipped');
select is(pg_temp.tick_with('archived', 'todo', gone => 'archived'), 'idle_skipped', 'Q13.4: … only archived ones → skipped');
select is(pg_temp.tick_with('deleted', 'todo', gone => 'deleted'), 'idle_skipped', 'Q13.4: … only deleted ones → skipped');
select is(pg_temp.tick_with('others', 'todo', 'bob'), 'idle_skipped', 'Q13.4: … only others'' ones → skipped');

-- Who is not skipped

select pg_temp.scenario('coordinator', 'ann');
select pg_temp.wake('ann', 'routine', :tick);
select is(pg_temp.claim(), 'ann:routine', 'Q13.4, sc-W14: one that does not skip → launched');
select pg_temp.scenario('by-hand', 'ann');
select office.update_agent('by-hand/ann', '{"skip_idle_wakeups": true}');
select pg_temp.wake('ann', 'routine', :tick::jsonb || '{"fire": "manual"}') as w \gset
select is(pg_temp.claim(), 'ann:routine', 'Q13.4, sc-W14: a manual fire → launched');
select pg_temp.finish(:'w');
select pg_temp.wake('ann', 'routine', :tick::jsonb || '{"fire": "webhook"}') as w \gset
select is(pg_temp.claim(), 'ann:routine', 'Q13.4, sc-W14: a webhook fire → launched');
select pg_temp.finish(:'w');
select pg_temp.wake('ann', 'routine', :tick) as w \gset
select pg_temp.look();
select pg_temp.wake('ann', 'routine', :tick::jsonb || '{"fire": "manual"}');
select is(pg_temp.claim(), 'ann:routine', 'Q13.4, sc-W14: a manual fire merged into a queued cron run → launched');
select pg_temp.finish(:'w');
select pg_temp.wake('ann');
select is(pg_temp.claim(), 'ann:user', 'Q13.4: whatever is no tick → launched');

-- A skipped one holds up no other.
select pg_temp.scenario('others-go', 'ann', 'bob');
select office.update_agent('others-go/ann', '{"skip_idle_wakeups": true}');
select pg_temp.wake('ann', 'routine', :tick);
select pg_temp.wake('ann', 'self', '{"reason": "x", "task_id": ""}');
select pg_temp.look();
select testing.advance('1 second');
select pg_temp.wake('bob');
select is(pg_temp.claim(1), 'ann:self', 'Q13.4: an event merged into a tick makes it one');
select pg_temp.scenario('one-launch', 'ann', 'bob');
select office.update_agent('one-launch/ann', '{"skip_idle_wakeups": true}');
select pg_temp.wake('ann', 'routine', :tick);
select pg_temp.look();
select testing.advance('1 second');
select pg_temp.wake('bob');
select is(pg_temp.claim(1), 'bob:user', 'Q13: one that is settled does not use up max_runs');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
