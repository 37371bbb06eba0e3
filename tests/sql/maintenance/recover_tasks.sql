-- office_internal.recover_tasks: tasks that nobody started are woken for again (T11). sc-T10
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
select plan(24);

create function pg_temp.sweep() returns integer language sql as $$ select m.done from office.maintain() as m where m.piece = 'recovery' $$;
-- A task of an agent as if nobody had been woken for it.
create function pg_temp.forgotten(title text, agent text) returns text language plpgsql as $$
declare v_task text := pg_temp.task(title, agent);
begin
  delete from office_internal.signals as s where s.task_id = pg_temp.task_id(v_task);
  return v_task;
end $$;
create function pg_temp.woken(task text) returns text language sql as $$
  select string_agg(substring(w.idempotency_key from ':recovery:.*$'), ' ' order by w.id) from office.wakeups as w
  where w.task_id = pg_temp.task_id(task) and w.idempotency_key like '%:recovery:%'
$$;
create function pg_temp.end_as(task text, status text, cancel_reason text default null) returns void language plpgsql as $$
begin
  set local session_replication_role = replica;
  update office.runs as r set status = end_as.status, cancel_reason = end_as.cancel_reason, ended_at = office.now(),
    outcome = case when end_as.status = 'finished' then 'idle_skipped' end
  where r.task_id = pg_temp.task_id(task);
  update office.wakeups as w set status = 'finished' where w.task_id = pg_temp.task_id(task);
  set local session_replication_role = origin;
end $$;

select pg_temp.scenario('acme', 'ann', 'paul');
select pg_temp.forgotten('forgotten', 'ann') as task \gset
select is(pg_temp.sweep(), 1, 'T11 sc-T10: an office task in todo with an assignee and no run is woken for');
select is(pg_temp.woken(:'task'), ':recovery:1', 'Q3: with a key of its own');
select is(pg_temp.sweep(), 0, 'T11: once a minute');
select testing.advance('1 minute');
select is(pg_temp.sweep(), 0, 'T11: a queued wakeup is one already');
select office.dispatch();
select testing.advance('1 minute');
select is(pg_temp.sweep(), 0, 'T11: a queued run shows that it is under way');
select results_eq(
  $$ select v.kind, v.detail ->> 'dispatched_count' from office.activity as v where v.kind like 'recovery%' order by v.kind $$,
  $$ values ('recovery_dispatch', null), ('recovery_sweep_complete', '1') $$, 'T11: activity'
);

-- What shows a start, and what does not
create function pg_temp.after(status text, cancel_reason text default null, launched boolean default true) returns integer language plpgsql as $$
declare v_task text := pg_temp.task(status || coalesce(cancel_reason, ''), 'ann');
begin
  perform office.dispatch();
  perform pg_temp.end_as(v_task, after.status, cancel_reason);
  set local session_replication_role = replica;
  update office.runs as r set claimed_at = case when launched then office.now() end where r.task_id = pg_temp.task_id(v_task);
  set local session_replication_role = origin;
  perform testing.advance('1 minute');
  return pg_temp.sweep();
end $$;
select is(pg_temp.after('blocked'), 0, 'T11 sc-T10: a blocked run');
select is(pg_temp.after('interrupted'), 0, 'T11 sc-T10: an interrupted one is a person''s');
select is(pg_temp.after('cancelled', 'stopped'), 0, 'T11 sc-T10: one that a person stopped');
select is(pg_temp.after('cancelled', 'dropped'), 0, 'T11: one that a person dropped');
select is(pg_temp.after('finished'), 0, 'T11 sc-T10: one that was launched and has finished');
select is(pg_temp.after('failed'), 1, 'T11 sc-T10: one that gave up shows nothing');
select is(pg_temp.after('cancelled', 'assignee_changed'), 1, 'T11: nor one that was cancelled as reassigned');
select is(pg_temp.after('finished', null, false), 1, 'T11 sc-T10: nor one that ended without a launch');

-- Who is passed over
select pg_temp.forgotten('paused', 'paul') as paused \gset
select office.pause('paul');
select office.dispatch();
select testing.advance('1 minute');
select is(pg_temp.sweep(), 0, 'T11: a paused agent''s');
select office.resume('paul');
select testing.advance('1 minute');
select is(pg_temp.sweep(), 1, 'T11: … and woken for when it works again');
select pg_temp.forgotten('snoozed', 'ann') as snoozed \gset
select office.snooze_task(:'snoozed', office.now() + interval '1 hour');
select pg_temp.task('blocked', 'ann', array[pg_temp.task('in the way')]);
select office.create_workflow('board', '[{"name": "To do", "state": "todo", "auto_start_agent": true}]', 'acme') as board \gset
insert into office.tasks (workspace_id, workflow_id, title, assignee_agent_id)
select a.workspace_id, :'board', 'Kanban', a.id from office.agents as a where a.name = 'ann';
select testing.advance('1 minute');
select is(pg_temp.sweep(), 0, 'T11 sc-T10: snoozed, blocked and Kanban tasks are not');
select testing.advance('2 hours');
select is(pg_temp.sweep(), 1, 'T11: a snooze passes');
select pg_temp.forgotten('old', 'ann') as old \gset
select testing.advance('25 hours');
select is(pg_temp.sweep(), 0, 'T11: beyond the look-back');
select office.set_setting('recovery_lookback_hours', '9999', 'acme');
select is(office.get_setting('recovery_lookback_hours', 'acme'), '720', 'T11 sc-T10: 9999 is stored as 720');
select testing.advance('1 minute');
select is(pg_temp.woken(:'old') is null and pg_temp.sweep() >= 1 and pg_temp.woken(:'old') = ':recovery:1', true, 'T11: a longer look-back finds it');
select office.set_setting('recovery_lookback_hours', '0', 'acme');
select is(office.get_setting('recovery_lookback_hours', 'acme'), '1', 'T11 sc-T10: 0 is stored as 1');

-- Its limit
select office.set_setting('recovery_limit', '2', 'acme');
select pg_temp.forgotten('n' || n, 'ann') from generate_series(1, 3) as n;
select testing.advance('1 minute');
select is(pg_temp.sweep(), 2, 'T11: at most so many a sweep');
select testing.advance('1 minute');
select is(pg_temp.sweep(), 1, 'T11: … and the rest with the next');

select * from finish();
rollback;
