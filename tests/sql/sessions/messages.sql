-- N2, S4: messages and steers are runs of their own in their session's queue: in its order, one at a time. sc-D10
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
select plan(49);

create function pg_temp.turn()
returns text
language sql
as $$
  select coalesce(string_agg(
    coalesce((select w.payload ->> 'text' from office.wakeups as w where w.run_id = c.run_id and w.source = 'message'), c.reason), ', ' order by c.ordinality
  ), '')
  from office.claim_runs(current_setting('testing.worker')::uuid, 9) with ordinality as c
  where c.run_id is not null
$$;
create function pg_temp.live()
returns office.runs
language sql
as $$
  select r from office.runs as r join office.workspaces as w on w.id = r.workspace_id
  where w.name = current_setting('testing.workspace') and r.status in ('claimed', 'running', 'stopping')
$$;
create function pg_temp.done()
returns text
language sql
as $$
  select s.status from office.start_attempt((pg_temp.live()).attempt_id, 1) as s;
  select f.status from office.finish_attempt((pg_temp.live()).attempt_id) as f;
$$;
create function pg_temp.waits(run text)
returns text
language sql
as $$ select u.waiting_for from office.up_next as u where u.run = waits.run $$;
create function pg_temp.code(statement text)
returns text
language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r $$;

select pg_temp.scenario('talks', 'ann', 'bob');
select office.update_agent('talks/ann', '{"max_concurrent_sessions": 4}');
select pg_temp.task('Talk', 'ann') as task \gset
select is(pg_temp.turn(), 'task_assigned', 'N1: the first run begins the session');
select s.session as session, s.id as session_id from office.sessions as s where s.workspace = 'talks' \gset
select (pg_temp.live()).id as first \gset
-- sc-D10: two messages queued, one steer: steer first.
select x.* from office.send_message(:'session', 'one') as x \gset one_
select x.* from office.send_message(:'session', 'two') as x \gset two_
select x.* from office.steer(:'session', 'first of all') as x \gset steer_
select is(:'one_queue_position' || ' ' || :'two_queue_position' || ' ' || :'steer_queue_position', '1 2 -1', 'N2: a message goes last, a steer first');
select is((pg_temp.live()).id, :'first'::uuid, 'N2: a steer does not stop the running one');
select is(pg_temp.turn(), '', 'N2, sc-D10: one at a time, whatever the agent has room for');
select is((select count(distinct r.id)::integer from office.runs as r where r.session_id = :'session_id' and r.solo), 3, 'N2: each is a run of its own');
select is((select string_agg(distinct r.parked, ' ') from office.runs as r where r.session_id = :'session_id' and r.status = 'queued'), 'checkout', 'N2: they wait for the task''s lock');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as w \gset
select pg_temp.look();
select is((pg_temp.run(:'w')).id, :'first'::uuid, 'N2: a wake that comes meanwhile joins the live run, and no message');
select is(pg_temp.done(), 'finished', 'N2: the first has run');
select is((select s.state from office.sessions as s where s.session = :'session'), 'idle', 'N1: idle between its runs');
select matches(pg_temp.waits(:'one_run'), '^its session''s turn: r[0-9]+ is before it$', 'S5: up_next says whose turn it is');
select is(pg_temp.turn(), 'first of all', 'sc-D10: the steer goes first');
select is((pg_temp.live()).continues_run_id, :'first'::uuid, 'sc-D10: it continues the run that really ran last');
select is(pg_temp.done(), 'finished', 'N2: the steer has run');
-- What was unseen is carried on by a run of the pair: it goes before messages.
select is(pg_temp.turn(), 'user', 'N2: the session''s other runs go between steers and messages');
select is((pg_temp.live()).continues_run_id, :'steer_run_id'::uuid, 'N2: it continues the steer');
select pg_temp.done();
select is(pg_temp.turn(), 'one', 'sc-D10: then the messages, in order');
select pg_temp.done();
-- One that never ran is not continued.
select office.stop(:'two_run');
select x.* from office.send_message(:'session', 'three') as x \gset three_
select is(pg_temp.turn(), 'three', 'N2: one that was stopped holds up nobody');
select is((pg_temp.live()).continues_run_id, :'one_run_id'::uuid, 'sc-D10: … and is continued by none');
select x.* from office.send_message(:'session', 'four') as x \gset four_
select x.* from office.send_message(:'session', 'five') as x \gset five_
select x.* from office.steer(:'session', 'now') as x \gset now_
select x.* from office.steer(:'session', 'before that') as x \gset before_

-- The owner may reorder.
select results_eq(
  format('select q.run, q.queue_position from office.reorder_queue(%L, array[%L, %L]) as q', :'session', :'five_run', :'now_run'),
  format($$ values (%L, -2), (%L, -1), (%L, 1), (%L, 2) $$, :'five_run', :'now_run', :'before_run', :'four_run'),
  'N2: those named first, then the others'
);
select is(pg_temp.code(format('select office.reorder_queue(%L, array[%L])', :'session', :'three_run')), 'PT422 invalid runs', 'N2: what runs is not put in order');
select is(pg_temp.code(format('select office.reorder_queue(%L, array[%L, %L])', :'session', :'five_run', :'five_run')), 'PT422 invalid runs', 'N2: … nor anything twice');
select is(pg_temp.code(format('select office.reorder_queue(%L, array[%L])', :'session', 'r999999')), 'PT404 not_found', 'I2: … nor what is not there');
select office.create_account('zoe', 'zoe@example.org', db_role => null), office.add_member('talks', 'zoe');
create function pg_temp.as_account(account text, statement text)
returns text
language plpgsql
as $$
declare
  v_said text;
begin
  update office_internal.gateways set kind = 'act_as' where login = session_user;
  perform office.act_as(account);
  v_said := pg_temp.code(statement);
  perform set_config('office.acting', '', true);
  return v_said;
end
$$;
select pg_temp.done();
select is(pg_temp.turn(), 'five', 'N2: in the new order');
select pg_temp.done();
select is(pg_temp.turn(), 'now', 'N2: … one');
select pg_temp.done();
select is(pg_temp.turn(), 'before that', 'N2: … after');
select pg_temp.done();
select is(pg_temp.turn(), 'four', 'N2: … the other');
select pg_temp.done();
select is((select string_agg(x.ok::text, ' ') from (
  with recursive line as (
    select r.id, r.continues_run_id, 1 as n from office.runs as r where r.id = :'four_run_id'
    union all
    select r.id, r.continues_run_id, line.n + 1 from line join office.runs as r on r.id = line.continues_run_id
  )
  select max(line.n) = 9 and bool_or(line.id = :'first') as ok from line
) as x), 'true', 'N2: ancestry is one true line, down to the first');

-- A message that failed is tried again, and holds up nobody meanwhile.
select x.* from office.send_message(:'session', 'breaks') as x \gset breaks_
select x.* from office.send_message(:'session', 'next') as x \gset next_
select is(pg_temp.turn(), 'breaks', 'N2: its turn');
select office.start_attempt((pg_temp.live()).attempt_id, 1);
select office.fail_attempt((pg_temp.live()).attempt_id, 'broken');
select is(pg_temp.turn(), 'next', 'Q12: what waits for its retry does not hold up what can go');
select pg_temp.done();
select testing.advance('1 hour');
select is(pg_temp.turn(), 'breaks', 'Q18: … and is tried again');
select pg_temp.done();

-- By wake, as any program may.
select (pg_temp.wake('ann', 'message', jsonb_build_object('session_id', :'session_id', 'text', 'by wake'))) as w \gset
select is(pg_temp.turn(), 'message', 'N2: by wake with source message');
select is((pg_temp.run(:'w')).session_id, :'session_id'::uuid, 'N2: … into that session');
select pg_temp.done();
select is(pg_temp.code(format('select office.wake(''talks/bob'', ''message'', %L)', jsonb_build_object('session_id', :'session_id', 'text', 'x'))), 'PT404 not_found', 'N2: a session of another agent');
select count(*)::integer as before from office.wakeups \gset
select is(pg_temp.code($$ select office.wake('talks/ann', 'message', '{"session_id": "a0000000-0000-4000-8000-000000000009", "text": "x"}') $$), 'PT404 not_found', 'N2: a session that is nowhere');
select is(pg_temp.code($$ select office.wake_many('[{"agent": "talks/ann", "source": "user"}, {"agent": "talks/ann", "source": "message", "payload": {"session_id": "a0000000-0000-4000-8000-000000000009", "text": "x"}}]') $$), 'PT404 not_found', 'N2: … among many');
select is((select count(*)::integer from office.wakeups), :before, 'N2: … and nothing is written');
select is(pg_temp.code($$ select office.send_message('s999999', 'x') $$), 'PT404 not_found', 'N2: a session that is not there');
select is(pg_temp.code(format('select office.send_message(%L, '' '')', :'session')), 'PT422 invalid text', 'N2: a message says something');
select is(pg_temp.code(format('select office.steer(%L, null)', :'session')), 'PT422 invalid text', 'N2: … a steer too');

-- A task that is done hears messages still; one that its agent left does not.
select office.move_task(:'task', 'in_progress'), office.move_task(:'task', 'done');
select pg_temp.look();
select x.* from office.send_message(:'session', 'once more') as x \gset more_
select is(pg_temp.turn(), 'once more', 'N2: the session outlives a task that is done');
select x.* from office.send_message(:'session', 'never') as x \gset never_
select pg_temp.done();
select office.move_task(:'task', 'todo'), office.assign_task(:'task', 'talks/bob');
select pg_temp.look();
select is((select r.result from office.runs as r where r.id = :'never_run_id'), 'assignee_changed', 'N1: what waits in a session that ends is cancelled');
select is((select w.status from office.wakeups as w where w.run_id = :'never_run_id'), 'cancelled', 'Q10: … and so is its wakeup');
select is(pg_temp.code(format('select office.send_message(%L, ''x'')', :'session')), 'PT409 session_ended', 'N2: nothing is written into a session that has ended');
select is(pg_temp.code(format('select office.reorder_queue(%L, ''{}'')', :'session')), 'PT409 session_ended', 'N2: … nor put in order');

-- Two live runs of a pair: an operator has freed the task's lock.
select pg_temp.scenario('freed', 'ann');
select office.update_agent('freed/ann', '{"max_concurrent_sessions": 4}');
select pg_temp.task('Lock', 'ann') as task \gset
select pg_temp.turn();
select s.session as session from office.sessions as s where s.workspace = 'freed' \gset
select office.send_message(:'session', 'waits');
select office.release_task(:'task');
select is(pg_temp.turn(), '', 'N2: without the lock the session''s runs still go one at a time');
select is((select r.parked from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'freed' and r.status = 'queued'), 'session', 'N2: … for their turn');
select pg_temp.done();
select is(pg_temp.turn(), 'waits', 'N2: the end of the one lets the next go');
select pg_temp.done();

-- Another person.
select (select w.kind from office_internal.gateways as w where w.login = session_user) as kind \gset
select is(pg_temp.as_account((select a.id::text from office.accounts as a where a.name = 'zoe'), format('select office.reorder_queue(%L, ''{}'')', (select s.session from office.sessions as s where s.workspace = 'freed'))), 'PT404 not_found', 'I5: of another workspace nothing is seen');
update office_internal.gateways set kind = :'kind' where login = session_user;
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
