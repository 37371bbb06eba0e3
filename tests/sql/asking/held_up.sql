-- office.stuck and office.health: what does not go on by itself, one thing at a time, and the SQL beside it mends it (I4, S5).
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(55);

create function pg_temp.stuck() returns text language sql as $$
  select coalesce(string_agg(concat_ws(' ', s.kind, regexp_replace(s.subject, '[0-9]+', 'N')), ', ' order by s.kind, s.subject), '') from office.stuck as s
$$;
-- Types what stuck says of a kind; what psql cannot type is left.
create function pg_temp.mend(of_kind text) returns void language plpgsql as $$
declare
  v_mend text;
begin
  for v_mend in select s.mend from office.stuck as s where s.kind = of_kind and s.mend !~ '^officectl' loop
    execute v_mend;
  end loop;
end
$$;
create function pg_temp.checked(name text) returns text language sql as $$
  select concat_ws(' ', h.level, h.value) from office.health as h where h.check_name = name
$$;
-- Workers that live beat.
create function pg_temp.beat() returns void language sql as $$
  select from office.heartbeat(current_setting('testing.worker')::uuid)
$$;
create function pg_temp.later(much interval) returns void language plpgsql as $$
begin
  perform testing.advance(much);
  perform pg_temp.beat();
end
$$;

select pg_temp.scenario('quiet', 'ann', 'bob');
select is(pg_temp.stuck(), '', 'I4: nothing is stuck');
select is_empty($$ select * from office.health where level <> 'ok' $$, 'I4: all is well');
select pg_temp.wake('ann') as anns \gset
select pg_temp.claim();
select pg_temp.start(:'anns');
select pg_temp.wake('ann');
select pg_temp.look();
select office.carry_out();
select pg_temp.later('50 minutes');
select is(pg_temp.stuck(), '', 'I4: who waits for his turn is not stuck');

-- Not dispatched
select pg_temp.wake('bob') as bobs \gset
select is(pg_temp.stuck(), '', 'I4: a wake of this moment is not stuck');
select pg_temp.later('2 minutes');
select is(pg_temp.stuck(), 'not dispatched quiet/bob', 'Q8: one that nobody dispatches is');
select is(pg_temp.checked('wakes not dispatched for 1 minute'), 'error 1', 'I4: health counts it');
select pg_temp.mend('not dispatched');
select is((pg_temp.wakeup(:'bobs')).status, 'claimed', 'I4: … and what mends it does');

-- Ready, a worker lives, and nobody claims
select is(pg_temp.stuck(), 'not claimed rN', 'I4: a ready run that nobody claims, counted from when it was asked for');
select is(pg_temp.checked('runs ready and not claimed for 1 minute'), 'error 1', 'I4: health counts it');
delete from office_internal.signals;
select pg_temp.mend('not claimed');
select is((select count(*) from office_internal.signals where kind = 'look'), 1::bigint, 'A15: what mends it lets the claim look again');
select is(pg_temp.claim(), 'bob:user', '… and so it is claimed');
select pg_temp.start(:'bobs');
select is(pg_temp.stuck(), '', 'I4: nothing is stuck');

-- Parked, and its time has passed
select pg_temp.fail(:'bobs', 'exit 1');
select pg_temp.later('10 minutes');
select is(pg_temp.stuck(), 'overdue rN', 'Q20: a retry whose time has passed');
select is(pg_temp.checked('parked runs past their time'), 'error 1', 'I4: health counts it');
select pg_temp.mend('overdue');
select is(pg_temp.claim(), 'bob:user', '… goes on');
select pg_temp.start(:'bobs');

-- Stopping, and its worker does not end it
select from office.stop('r' || (pg_temp.run(:'bobs')).number);
select pg_temp.later('2 minutes');
select is(pg_temp.stuck(), '', 'P2: a program may take its time to end');
select pg_temp.later('2 minutes');
select is(pg_temp.stuck(), 'stopping rN', 'P2: 3 minutes are too long');
select is(pg_temp.checked('runs stopping for 3 minutes'), 'warning 1', 'I4: health counts it');
select pg_temp.mend('stopping');
select is((pg_temp.run(:'bobs')).result, 'stopped', 'P2: … the UPDATE beside it ends it');
select is((pg_temp.run(:'bobs')).stopping_at, null, 'P2: … and it stops no more');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- Paused: agent, workspace, everything, the widest only
select pg_temp.wake('bob') as later \gset
select from office.pause('quiet/bob', 'a look at it');
select pg_temp.look();
select is(pg_temp.stuck(), 'paused quiet/bob', 'P1: work waits behind a paused agent');
select is((select s.reason from office.stuck as s), 'paused: a look at it; 1 runs wait', 'P1: … with why, and how much');
select from office.pause('workspace:quiet');
select is(pg_temp.stuck(), 'paused workspace:quiet', 'P1: a paused workspace');
select from office.pause('everything');
select is(pg_temp.stuck(), 'paused everything', 'P1: everything');
select is(pg_temp.checked('pauses with work behind them'), 'warning 1', 'I4: health counts it');
select pg_temp.mend('paused');
select pg_temp.mend('paused');
select pg_temp.mend('paused');
select is(pg_temp.stuck(), '', 'P1: each is resumed by what is beside it');
select is((pg_temp.run(:'later')).status, 'queued', '…');
select pg_temp.finish(:'anns');
select pg_temp.claim();

-- What needs a person
select pg_temp.fail(:'later', 'no such program', 'configuration');
select is(pg_temp.stuck(), 'needs a person rN', 'Q23: a blocked run');
select is((select s.reason from office.stuck as s), 'blocked of bob: no such program', 'Q23: … with its error');
select is(pg_temp.checked('runs that need a person'), 'warning 1', 'I4: health counts it');
select pg_temp.mend('needs a person');
select is((pg_temp.run(:'later')).status, 'queued', 'P4: … is tried again');
select office.set_setting('max_retry_count', '0', 'quiet');
select pg_temp.claim();
select pg_temp.start(:'later');
select pg_temp.fail(:'later', 'exit 1');
select is(pg_temp.stuck(), 'needs a person rN', 'Q18: one that gave up');
update office.inbox_items set closed_at = office.now() where run_id = (pg_temp.run(:'later')).id;
select is(pg_temp.stuck(), '', 'Q18: … until somebody has looked after it');

-- A worker that is gone: its lease, and what waits for another
select pg_temp.wake('bob');
select pg_temp.look();
select testing.advance('30 minutes');
select is((select string_agg(s.kind, ', ' order by s.kind) from office.stuck as s), 'lease, no worker', 'Q22: a lease that nobody swept, and no worker');
select is(pg_temp.checked('no worker lives'), 'error 1', 'I4: health says so');
select is(pg_temp.checked('workers past their lease'), 'warning 1', 'I4: … and this');
select is((select min(s.mend) from office.stuck as s where s.kind = 'lease'), 'select * from office.maintain();', 'Q22: the sweep mends it');
select office.expire_worker(current_setting('testing.worker')::uuid);
select is((select min(s.mend) from office.stuck as s where s.kind = 'no worker'), 'officectl serve', 'I4: only a worker helps');

-- A change of people's tables that nobody carries out
select pg_temp.scenario('changes', 'ann');
select pg_temp.task('to do', 'ann') as task \gset
select pg_temp.claim();
select office.start_attempt(a.id) from office.attempts as a where a.ended_at is null;
select pg_temp.later('5 minutes');
select is((select s.subject from office.stuck as s where s.kind = 'not carried out'), :'task', 'A6: a change that nobody carried out');
select pg_temp.mend('not carried out');
select is((select count(*) from office.stuck as s where s.kind = 'not carried out'), 0::bigint, 'A6: … what is beside it does');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- … a pause that the office has set, too
select pg_temp.scenario('pausing', 'ann');
select office.update_agent('pausing/ann', '{"auto_pause_after": 1}'), office.set_setting('max_retry_count', '0', 'pausing');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.start(:'w'), pg_temp.fail(:'w');
select pg_temp.later('5 minutes');
select is((select s.subject from office.stuck as s where s.kind = 'not carried out'), 'pausing/ann', 'Q23, A6: the pause of an agent likewise');
select pg_temp.mend('not carried out');
select is((select count(*) from office.stuck as s where s.kind = 'not carried out'), 0::bigint, 'Q23, A6: … what is beside it sets it');

-- A task's lock that its run does not give, and a folder that nobody has confirmed to be free
select pg_temp.scenario('locked', 'ann', 'bob');
select office.update_agent('locked/ann', '{"executor": {"command": ["/bin/true"], "folder": "/srv/kept"}}');
select office.update_agent('locked/bob', '{"executor": {"command": ["/bin/true"], "folder": "/srv"}}');
select pg_temp.task('shared', 'ann') as task \gset
select pg_temp.claim();
select id as anns from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.start(:'anns'), office.carry_out();
select pg_temp.wake('bob', 'user', pg_temp.about(:'task')) as bobs \gset
select pg_temp.claim();
select pg_temp.later('59 minutes');
select is((select count(*) from office.stuck as s where s.workspace = 'locked'), 0::bigint, 'Q13.5: a task is locked for as long as its run takes');
select pg_temp.later('2 minutes');
select is((select s.kind || ' ' || s.subject from office.stuck as s where s.workspace = 'locked'), 'task locked ' || :'task', 'T10: an hour is long');
select is(pg_temp.checked('tasks locked for 1 hour while others wait'), 'warning 1', 'I4: health counts it');
select pg_temp.finish(:'anns');
select pg_temp.claim();
select is((pg_temp.run(:'bobs')).parked, 'resource', 'P7: a folder is held until its cleanup is confirmed');
select is((select count(*) from office.stuck as s where s.workspace = 'locked'), 0::bigint, 'P7: … which takes a moment');
select pg_temp.later('4 minutes');
select is(
  (select s.kind || ' ' || s.subject from office.stuck as s where s.workspace = 'locked'), 'cleaned up r' || (pg_temp.run(:'anns')).number, 'P7: 3 minutes are too long'
);
select is(pg_temp.checked('runs not cleaned up after for 3 minutes while others wait'), 'warning 1', 'I4: health counts it');
select pg_temp.mend('cleaned up');
select is(pg_temp.claim(), 'bob:user', 'P7: … and what is beside it frees the folder');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- Who sees what
create role clerk login;
grant office_client to clerk;
select office.create_account('clerk', db_role => 'clerk');
set local session authorization clerk;
select is_empty($$ select * from office.stuck where workspace is not null $$, 'I5: only of one''s own workspaces');
reset session authorization;
create role nobody_here login;
grant office_reader to nobody_here;
set local session authorization nobody_here;
select is((pg_temp.refusal('select * from office.stuck')).state, 'PT401', 'I5: nobody is refused');
reset session authorization;

select * from finish();
rollback;
