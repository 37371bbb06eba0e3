-- Workers and their leases (Q22): registering, beating, the end in good order, a lease that runs out, the sweep and its grace. sc-W18 and sc-W19
-- as far as one session shows them.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql

select plan(55);

create function pg_temp.worker()
returns office.workers
language sql
as $$ select w from office.workers as w where w.id = current_setting('testing.worker')::uuid $$;
-- A claimed run, a running one, one that waits for a decision and one that is stopping, all of this worker.
create function pg_temp.busy(name text)
returns void
language plpgsql
as $$
declare
  v_wakeup uuid;
begin
  perform pg_temp.scenario(name, 'claimed', 'running', 'waiting', 'stopping');
  perform pg_temp.wake(a) from unnest(array['claimed', 'running', 'waiting', 'stopping']) as a;
  perform pg_temp.claim();
  perform office.start_attempt(r.attempt_id)
  from office.runs as r join office.agents as a on a.id = r.agent_id join office.workspaces as w on w.id = r.workspace_id
  where w.name = busy.name and a.name <> 'claimed';
  update office.runs as r
  set status = a.name
  from office.agents as a join office.workspaces as w on w.id = a.workspace_id
  where a.id = r.agent_id and w.name = busy.name and a.name = 'stopping';
  perform pg_temp.ask(u.id)
  from office.wakeups as u join office.agents as a on a.id = u.agent_id join office.workspaces as w on w.id = u.workspace_id
  where w.name = busy.name and a.name = 'waiting';
end
$$;
create function pg_temp.told()
returns text
language sql
as $$
  select string_agg(a.name || ':' || r.result || ':' || r.retry_count || ':' || coalesce(t.outcome, 'lives'), ', ' order by a.name)
  from office.runs as r
  join office.agents as a on a.id = r.agent_id
  join office.workspaces as w on w.id = r.workspace_id
  left join office.attempts as t on t.id = r.attempt_id
  where w.name = current_setting('testing.workspace')
$$;

-- A sweep whose last pass was so long ago; answers how many runs it let go.
create function pg_temp.sweep(after interval default '1 minute')
returns integer
language plpgsql
as $$
begin
  delete from office_internal.sweeps as s where s.name = 'leases';
  insert into office_internal.sweeps (name, passed_at) values ('leases', office.now() - after);
  return office_internal.sweep_leases();
end
$$;

-- Registering

select results_eq(
  $$ select lease_seconds, heartbeat_seconds, poll_seconds, worker_id is not null from office.register_worker('box') $$, $$ values (60, 10, 5, true) $$,
  'Q22, Q15: lease 60 s, a beat every 10 s, a poll every 5 s'
);
select office.set_setting('worker_lease_seconds', '15');
select is((select w.heartbeat_seconds from office.register_worker('box') as w), 5, 'Q22: the beat is at most a third of the lease');
select office.set_setting('worker_lease_seconds', '60');
select isnt((select w.worker_id from office.register_worker('box', 1) as w), (select w.worker_id from office.register_worker('box', 1) as w), 'Q22: ids are fresh per start, never a host name');
select is((pg_temp.refusal($$ select office.register_worker('') $$)).detail ->> 'field', 'host', 'Q22: a worker has a host');
select is((pg_temp.refusal(c.call)).detail ->> 'field', c.field, 'Q22: no worker''s ' || c.field)
from (values
  ($$ select office.register_worker(repeat('x', 256)) $$, 'host'),
  ($$ select office.register_worker(E'a\nb') $$, 'host'),
  ($$ select office.register_worker('box', 0) $$, 'pid'),
  ($$ select office.register_worker('box', 1, repeat('1', 256)) $$, 'version'),
  ($$ select office.register_worker('box', max_runs => 1001) $$, 'max_runs')
) as c (call, field);
select is((pg_temp.refusal($$ select office.register_worker('box', max_runs => 0) $$)).detail ->> 'field', 'max_runs', 'Q22: … and carries at least one run');
select is((pg_temp.refusal($$ select office.register_worker('box', workspace => 'mian') $$)).state, 'PT404', 'Q22: … in a workspace that is there');

-- Beating

select pg_temp.busy('beat');
select testing.advance('50 seconds');
select office.heartbeat(current_setting('testing.worker')::uuid);
select is((pg_temp.worker()).lease_until, office.now() + interval '60 seconds', 'Q22: a beat renews the lease');
select results_eq(
  $$ select h.attempt_id, h.instruction, h.detail from office.heartbeat(current_setting('testing.worker')::uuid) as h where h.instruction <> 'waiting' $$,
  $$ select r.attempt_id, 'stop', jsonb_build_object('run', 'r' || r.number) from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'beat' and r.status = 'stopping' $$,
  'Q22: … and answers which attempts to stop'
);
select office.uuid7() as nobodys \gset
select results_eq(
  format($$ select h.instruction from office.heartbeat(current_setting('testing.worker')::uuid, array[%L, (select r.attempt_id from office.runs as r join office.agents as a on a.id = r.agent_id where a.name = 'running')]::uuid[]) as h order by 1 $$, :'nobodys'),
  $$ values ('lost'), ('stop'), ('waiting') $$, 'Q22: … and which of those it names are lost, and no other'
);
select is((pg_temp.refusal('select office.heartbeat(office.uuid7())')).state, 'PT404', 'Q22: an unknown worker is told so');

-- A worker that lives keeps its runs for days (sc-W18).
do $$
begin
  for beat in 1..3 * 24 loop
    perform testing.advance('50 seconds');
    perform office.heartbeat(current_setting('testing.worker')::uuid);
    perform office.maintain();
    perform testing.advance('50 seconds');
    perform office.heartbeat(current_setting('testing.worker')::uuid);
  end loop;
end
$$;
select is(pg_temp.told(), 'claimed:claimed:0:lives, running:running:0:lives, stopping:stopping:0:lives, waiting:waiting:0:lives', 'Q22, sc-W18: a beating worker''s runs are never touched');

-- A lease that runs out

select office.drain_worker(id) from office.workers where ended_at is null;
select pg_temp.busy('lost');
select testing.advance('60 seconds');
select is(pg_temp.sweep(), 0, 'Q22: a lease of this very moment has not run out');
select testing.advance('1 second');
select is(office_internal.sweep_leases(), 0, 'Q22: … nor does a sweep pass twice in a period');
select is(pg_temp.sweep(), 3, 'Q22: … a second later it has run out');
select is(
  pg_temp.told(), 'claimed:queued:0:released, running:interrupted:0:interrupted, stopping:stopped:0:stopped, waiting:waiting:0:lives',
  'Q22, sc-W18: not started → queued again, no retry counted; started → interrupted; stopping → cancelled; waiting → waits'
);
select is((pg_temp.worker()).end_reason, 'lease_lost', 'Q22: … and the worker has ended');
select results_eq(
  $$ select n.kind, r.status, n.choices #>> '{0,id}', n.choices #>> '{1,id}' from office.needs_me as n join office.runs as r on 'r' || r.number = n.run where n.workspace = 'lost' and n.agent = 'running' $$,
  $$ values ('interrupted', 'interrupted', 'retry', 'drop') $$, 'Q22, sc-W18: … a person decides about what was started'
);
select is(pg_temp.sweep(), 0, 'Q22: … once');
select is((r).state || ' ' || ((r).detail ->> 'code'), 'PT409 worker_expired', 'Q22, sc-W19: a worker that comes back is told')
from pg_temp.refusal($$ select office.heartbeat(current_setting('testing.worker')::uuid) $$) as r;
select is((pg_temp.refusal($$ select office.claim_runs(current_setting('testing.worker')::uuid) $$)).detail ->> 'code', 'worker_expired', 'Q22, sc-W19: … and claims nothing more');
-- The next worker's run is untouched by the old one's words.
select r.attempt_id as old_attempt from office.runs as r join office.agents as a on a.id = r.agent_id join office.workspaces as w on w.id = r.workspace_id where w.name = 'lost' and a.name = 'claimed' \gset
select set_config('testing.worker', worker_id::text, true) from office.register_worker('next', max_runs => 100, workspace => 'lost') \gset
select is(pg_temp.claim(), 'claimed:user', 'Q22: the next worker launches it');
select is((pg_temp.refusal(format('select office.finish_attempt(%L)', :'old_attempt'))).detail ->> 'code', 'attempt_superseded', 'Q22, sc-W19: the attempt is the fence');
select is((pg_temp.refusal(format('select office.fail_attempt(%L, ''x'')', :'old_attempt'))).detail ->> 'code', 'attempt_superseded', 'Q22, sc-W19: … against a late failure too');
select is(split_part(pg_temp.told(), ',', 1), 'claimed:claimed:0:lives', 'Q22, sc-W19: … the run of the next worker is untouched');
-- The interrupted one, tried again
select office.retry_run('r' || r.number) from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'lost' and r.status = 'interrupted';
select is(pg_temp.claim(), 'running:user', 'P4, sc-D8: … and the interrupted one runs again when a person says so');

-- One worker's lease is no other's.
select pg_temp.busy('mine');
select testing.advance('61 seconds');
select pg_temp.scenario('others', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.sweep();
select is((pg_temp.run(:'w')).status, 'claimed', 'Q22: a sweep touches only what is lost');

-- Sleep and fail-over interrupt nothing.

select office.drain_worker(id) from office.workers where ended_at is null;
select pg_temp.busy('sleep');
select testing.advance('8 hours');
select is(pg_temp.sweep('8 hours'), 0, 'Q22, sc-D8: after a long silence the first pass settles nothing');
select is(pg_temp.told(), 'claimed:claimed:0:lives, running:running:0:lives, stopping:stopping:0:lives, waiting:waiting:0:lives', 'Q22, sc-D8: … nobody is interrupted');
select is((pg_temp.worker()).lease_until, office.now() + interval '60 seconds', 'Q22: … it renews every lease');
select testing.advance('61 seconds');
select is(pg_temp.sweep(), 3, 'Q22: … once: who has not beaten by then is lost');
select pg_temp.busy('two-periods');
select testing.advance('61 seconds');
select is(pg_temp.sweep('2 minutes'), 3, 'Q22: two periods are no silence');
select pg_temp.busy('three-periods');
select testing.advance('61 seconds');
select is(pg_temp.sweep('2 minutes 1 second'), 0, 'Q22: … more than two are one');
select pg_temp.busy('server-started');
select testing.set_clock(pg_postmaster_start_time() + interval '30 seconds');
update office.workers set lease_until = office.now() - interval '1 second';
select is(pg_temp.sweep(), 0, 'Q22: a server that started since the last pass → a pass of grace');
select is((pg_temp.worker()).lease_until, office.now() + interval '60 seconds', 'Q22: … with every lease renewed');
select testing.set_clock('2035-01-02 10:00+00');
select pg_temp.busy('never-swept');
delete from office_internal.sweeps;
select testing.advance('61 seconds');
select is(office_internal.sweep_leases(), 0, 'Q22: the first pass of all settles nothing');
select results_eq($$ select piece, done from office.maintain() where piece = 'leases' $$, $$ values ('leases', 0) $$, 'Q22: office.maintain sweeps');

-- on_interrupt

select pg_temp.busy('again');
select office.set_setting('on_interrupt', 'retry', 'again');
select is(office.expire_worker(current_setting('testing.worker')::uuid), 3, 'Q22: an operator may say that a worker is dead');
select is(
  pg_temp.told(), 'claimed:queued:0:released, running:queued:0:interrupted, stopping:stopped:0:stopped, waiting:waiting:0:lives',
  'Q22: on_interrupt = retry: what was started is queued again'
);
select is((select count(*)::integer from office.needs_me as n where n.workspace = 'again' and n.kind = 'interrupted'), 0, 'Q22: … and nobody is asked');
select is((pg_temp.worker()).end_reason, 'expired', 'Q22: … expired');
select is(office.expire_worker(current_setting('testing.worker')::uuid), 0, 'Q22: … once');

-- A taskless periodic run is only marked.
select pg_temp.scenario('tick', 'ann', 'bob');
select pg_temp.wake('ann', 'routine', '{"routine_id": "a0000000-0000-4000-8000-000000000001"}') as tick \gset
select pg_temp.claim();
select pg_temp.start(:'tick');
select office.expire_worker(current_setting('testing.worker')::uuid);
select is((pg_temp.run(:'tick')).status || ' ' || (select count(*) from office.decisions as d where d.run_id = (pg_temp.run(:'tick')).id), 'interrupted 0', 'P3: a taskless periodic run is only marked: its next tick is its retry');

-- The end in good order

select pg_temp.busy('drain');
select is(office.drain_worker(current_setting('testing.worker')::uuid), 3, 'P3: a worker that shuts down lets go of its runs');
select is(
  pg_temp.told(), 'claimed:queued:0:released, running:interrupted:0:interrupted, stopping:stopped:0:stopped, waiting:waiting:0:lives', 'P3, sc-W24: … nothing stays claimed'
);
select is((pg_temp.worker()).end_reason, 'drained', 'P3: … drained');
select is(office.drain_worker(current_setting('testing.worker')::uuid), 0, 'P3: … once');
select is((pg_temp.refusal('select office.drain_worker(office.uuid7())')).state, 'PT404', 'P3: an unknown worker is refused');
select is((pg_temp.refusal('select office.expire_worker(office.uuid7())')).state, 'PT404', 'Q22: … to expire too');

-- What is queued again waits for what holds it.
select pg_temp.scenario('held', 'ann');
select pg_temp.task('before it') as blocker \gset
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
insert into office.task_blockers (workspace_id, task_id, blocker_task_id) select t.workspace_id, t.id, pg_temp.task_id(:'blocker') from office.tasks as t where t.id = pg_temp.task_id(:'task');
select office.drain_worker(current_setting('testing.worker')::uuid);
select is((pg_temp.run(:'w')).status || ' ' || (pg_temp.run(:'w')).parked, 'queued blocker', 'Q12: what is queued again waits for its blockers');

select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
