-- N1, P1, T6: one agent session a pair of agent and task; its engine session is resumed, and replaced by a fresh one. sc-D11
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
select plan(36);

create function pg_temp.launched()
returns table (agent text, engine_session text, attempt_id uuid, run_id uuid)
language sql
as $$
  select c.agent, coalesce(c.engine_session, 'none'), c.attempt_id, c.run_id
  from office.claim_runs(current_setting('testing.worker')::uuid, 9) as c
  where c.run_id is not null
$$;
create function pg_temp.stands()
returns text
language sql
as $$
  select coalesce(string_agg(concat_ws(' ', s.agent, s.state, s.engine_session, s.end_reason), ', ' order by s.created_at, s.session), '')
  from office.sessions as s
  where s.workspace = current_setting('testing.workspace')
$$;

select pg_temp.scenario('keeps', 'ann', 'bob');
select pg_temp.task('Long work', 'ann') as task \gset
select is(pg_temp.stands(), '', 'N1: a task that has not run has no session');
select l.engine_session as engine, l.attempt_id as one, l.run_id as first from pg_temp.launched() as l \gset
select is(:'engine'::text, 'none', 'N1: the first run begins a fresh engine session');
select is(pg_temp.stands(), 'ann starting', 'N1: its session is starting');
select is((select r.session_id is not null and r.continues_run_id is null from office.runs as r where r.id = :'first'), true, 'N1: the run is of it, and continues none');
select office.start_attempt(:'one', 1, 'engine-1');
select is(pg_temp.stands(), 'ann running engine-1', 'N1: running; the engine''s own session id is stored');
select office.finish_attempt(:'one');
select is(pg_temp.stands(), 'ann idle engine-1', 'N1: idle');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task'));
select l.attempt_id as two, l.engine_session as engine, l.run_id as second from pg_temp.launched() as l \gset
select is(:'engine'::text, 'engine-1', 'N1: the second run resumes it');
select is((select r.continues_run_id from office.runs as r where r.id = :'second'), :'first'::uuid, 'N2: it continues the run that ran last');
select office.start_attempt(:'two', 2);
select is(pg_temp.stands(), 'ann running engine-1', 'N1: an engine that says nothing of it keeps it');
select office.finish_attempt(:'two');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task'));
select l.attempt_id as three, l.engine_session as engine, l.run_id as third from pg_temp.launched() as l \gset
select is(:'engine'::text, 'engine-1', 'N1: a task that is woken three times resumes twice');
select is((select r.continues_run_id from office.runs as r where r.id = :'third'), :'second'::uuid, 'N2: one true line');
-- It was lost: the fresh one replaces it.
select office.start_attempt(:'three', 3, 'engine-2');
select is(pg_temp.stands(), 'ann running engine-2', 'N1: a fresh engine session replaces the id');
select is((select count(*)::integer from office.agent_sessions as s where s.workspace_id = (select r.workspace_id from office.runs as r where r.id = :'third')), 1, 'N1: one row a pair');
-- A pause: sc-D11.
select office.pause('workspace:keeps');
select office.finish_attempt(:'three');
select is(pg_temp.stands(), 'ann idle engine-2', 'P1: stopped by a pause, its session is idle');
select office.resume('workspace:keeps');
select l.engine_session as engine, l.attempt_id as four, l.run_id as again from pg_temp.launched() as l \gset
select is(:'engine' || ' ' || (:'again' = :'third')::text, 'engine-2 true', 'P1, sc-D11: after the pause the same run goes on in its engine session');
select office.start_attempt(:'four');
select office.finish_attempt(:'four');

-- Another engine does not know it.
select office.update_agent('keeps/ann', '{"executor": {"command": ["/bin/other"]}}');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task'));
select (l.engine_session = 'none')::text as fresh, l.attempt_id as five from pg_temp.launched() as l \gset
select is(:'fresh'::text, 'true', 'N1: another program begins a fresh engine session');
select office.start_attempt(:'five', 5, 'other-1');
select office.finish_attempt(:'five');
select is(pg_temp.stands(), 'ann idle other-1', 'N1: … which is the session''s from now on');

-- Given to another, and back.
select office.assign_task(:'task', 'keeps/bob');
select pg_temp.look();
select is(pg_temp.stands(), 'ann ended other-1 reassigned', 'N1, T6: given to another: the session ends');
select office.assign_task(:'task', 'keeps/ann');
select pg_temp.look();
select l.agent || ' ' || (l.engine_session = 'none')::text as fresh, l.attempt_id as six from pg_temp.launched() as l \gset
select is(:'fresh'::text, 'ann true', 'N1: coming back begins anew');
select is(pg_temp.stands(), 'ann ended other-1 reassigned, ann starting', 'N1: … in a new row');
select office.start_attempt(:'six', 6, 'other-2'), office.finish_attempt(:'six');
-- Forth and back within one dispatch.
select office.assign_task(:'task', 'keeps/bob'), office.assign_task(:'task', 'keeps/ann');
select pg_temp.look();
select is((select count(*)::integer from office.sessions as s where s.state = 'ended' and s.workspace = 'keeps'), 2, 'N1: forth and back within one moment is leaving, too');

-- A reviewer is taken off.
select pg_temp.scenario('reviews', 'rex', 'ann');
select pg_temp.task('Seen by rex', 'ann') as seen \gset
insert into office.task_participants (task_id, agent_id, role, workspace_id)
select t.id, a.id, 'reviewer', t.workspace_id from office.tasks as t join office.agents as a on a.workspace_id = t.workspace_id and a.name = 'rex' where 't' || t.number = :'seen';
select pg_temp.wake('rex', 'user', pg_temp.about(:'seen'));
select office.start_attempt(l.attempt_id, 1, 'e-' || l.agent) from pg_temp.launched() as l;
select office.finish_attempt(r.attempt_id) from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'reviews' and r.status = 'running';
select office.start_attempt(l.attempt_id, 1, 'e-' || l.agent) from pg_temp.launched() as l;
select office.finish_attempt(r.attempt_id) from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'reviews' and r.status = 'running';
select is((select string_agg(s.agent || ' ' || s.state, ', ' order by s.agent) from office.sessions as s where s.workspace = 'reviews'), 'ann idle, rex idle', 'N1: two agents of one task have a session each');
delete from office.task_participants as p using office.tasks as t where t.id = p.task_id and 't' || t.number = :'seen';
select pg_temp.look();
select is((select string_agg(concat_ws(' ', s.agent, s.state, s.end_reason), ', ' order by s.agent) from office.sessions as s where s.workspace = 'reviews'), 'ann idle, rex ended removed', 'N1: removed as reviewer: ended');
select office.move_task(:'seen', 'cancelled');
select pg_temp.look();
select is((select string_agg(concat_ws(' ', s.agent, s.state, s.end_reason), ', ' order by s.agent) from office.sessions as s where s.workspace = 'reviews'), 'ann ended task_cancelled, rex ended removed', 'N1: the task is cancelled: ended');
-- Done is not cancelled; deleted is.
select pg_temp.scenario('ends', 'ann');
select pg_temp.task('Done', 'ann') as done \gset
select office.start_attempt(l.attempt_id) from pg_temp.launched() as l;
select office.carry_out();
select office.complete_task(:'done');
select pg_temp.look();
select is((select s.state from office.sessions as s where s.workspace = 'ends'), 'running', 'N1: a task that is done keeps its session');
select office.finish_attempt(r.attempt_id) from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'ends' and r.status = 'running';
select office.delete_task(:'done');
select pg_temp.look();
select is((select s.state || ' ' || s.end_reason from office.sessions as s where s.workspace = 'ends'), 'ended task_deleted', 'N1: deleted: ended');

-- Taskless runs.
-- Mentioned on a task that is cancelled
select pg_temp.scenario('cancelled', 'ann', 'bob');
select pg_temp.task('Gone', 'ann') as task \gset
select office.move_task(:'task', 'cancelled');
select office.dispatch();
select pg_temp.wake('bob', 'user', pg_temp.about(:'task')) as w \gset
select l.agent as mentioned, l.attempt_id as once from pg_temp.launched() as l \gset
select is(:'mentioned'::text, 'bob', 'Q13.3: who is mentioned on a cancelled task is launched');
select is(pg_temp.stands(), '', 'N1: … and opens no session there: it would never end');
select office.start_attempt(:'once'), office.finish_attempt(:'once');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select pg_temp.scenario('taskless', 'ann');
select pg_temp.wake('ann') as w \gset
select l.attempt_id as a from pg_temp.launched() as l \gset
select office.start_attempt(:'a', 1, 'engine-9');
select is(pg_temp.stands(), '', 'N1: a run without a task has no session');
select office.pause('workspace:taskless');
select office.finish_attempt(:'a');
select office.resume('workspace:taskless');
select l.engine_session as engine, l.attempt_id as a from pg_temp.launched() as l \gset
select is(:'engine'::text, 'engine-9', 'P1: after a pause it goes on in its own engine session');
select office.start_attempt(:'a', 1);
select office.finish_attempt(:'a');
select pg_temp.wake('ann') as w \gset
select is((select l.engine_session from pg_temp.launched() as l), 'none', 'N1, sc-X4: else it never resumes');
select pg_temp.start(:'w'), pg_temp.fail(:'w', 'broken');
select testing.advance('1 hour');
select is((select l.engine_session from pg_temp.launched() as l), 'none', 'N1: … nor after a failure');

select is((pg_temp.refusal($$ update office.agent_sessions set ended_at = null where ended_at is not null $$)).state, '23514', 'N1: a session that has ended says why, by hand too');
select is((pg_temp.refusal($$ insert into office.agent_sessions (workspace_id, agent_id, task_id, created_at) select s.workspace_id, s.agent_id, s.task_id, now() from office.agent_sessions as s cross join generate_series(1, 2) $$)).state, '23505', 'N1: a pair has one open session');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
