-- office.retry_runs and office.stop_runs: many at once by filter, with a count first (P4, P2).
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(38);

create function pg_temp.dry(kind text, filter text, more text default '')
returns text
language plpgsql
as $$
declare
  v_said text;
begin
  execute format(
    'select string_agg(concat_ws('':'', agent_name, was, becomes), '', '' order by run_id) from office.%s_runs(%s%s)', kind, filter, more
  ) into v_said;
  return v_said;
end
$$;
-- What a person can have tried again: ann's failed (retries used up), bob's blocked, cat's interrupted.
create function pg_temp.broken(name text)
returns void
language plpgsql
as $$
declare
  v_failed uuid;
  v_blocked uuid;
  v_other uuid;
begin
  perform pg_temp.scenario(name, 'ann', 'bob', 'cat');
  perform office.set_setting('max_retry_count', '0', name);
  v_failed := pg_temp.wake('ann');
  v_blocked := pg_temp.wake('bob');
  v_other := pg_temp.wake('cat');
  perform pg_temp.claim();
  perform pg_temp.start(w) from unnest(array[v_failed, v_blocked, v_other]) as w;
  perform pg_temp.fail(v_failed);
  perform pg_temp.fail(v_blocked, 'no program', 'configuration');
  perform office.expire_worker(current_setting('testing.worker')::uuid);
  perform set_config('testing.worker', r.worker_id::text, true)
  from office.register_worker('box', max_runs => 100, workspace => name) as r;
end
$$;

select pg_temp.broken('many');
select is(
  pg_temp.dry('retry', $$ workspace => 'many' $$), 'ann:failed:queued, bob:blocked:queued, cat:interrupted:queued',
  'P4: first it says what would become of each'
);
select is((select string_agg(r.status, ' ' order by r.number) from office.runs as r), 'failed blocked interrupted', 'P4: … and has done nothing');
select is((select count(*) from office.activity as v where v.kind = 'run_retried'), 0::bigint, 'P4: … nor remembered any');
select is(pg_temp.claim(), '', 'P4: … so nothing is launched');
select is(pg_temp.dry('retry', $$ agent => 'many/bob' $$), 'bob:blocked:queued', 'P4: by agent');
select is(pg_temp.dry('retry', $$ status => 'interrupted' $$), 'cat:interrupted:queued', 'P4: by status');
select is(pg_temp.dry('retry', $$ since => '2035-01-01 10:00:01+00' $$), null, 'P4: by time: none ended since');
select is(pg_temp.dry('retry', $$ since => '2035-01-01 10:00:00+00', agent => 'many/ann' $$), 'ann:failed:queued', 'P4: … one did; filters narrow one another');
select is(pg_temp.dry('retry', $$ agent => 'many/ann', status => 'blocked' $$), null, 'P4: … to none');
select is((select count(*) from office.retry_runs(workspace => 'many', dry_run => null)), 3::bigint, 'P4: only a plain false does it');
select is((select string_agg(r.status, ' ' order by r.number) from office.runs as r), 'failed blocked interrupted', 'P4: … null does not');
select is(
  pg_temp.dry('retry', $$ workspace => 'many' $$, ', dry_run => false'), 'ann:failed:queued, bob:blocked:queued, cat:interrupted:queued',
  'P4: done, it says the same'
);
select is((select string_agg(r.status || r.retry_count, ' ' order by r.number) from office.runs as r), 'queued0 queued0 queued0', 'P4: queued, retry_count 0');
select is((select count(*) from office.inbox_items as i where i.closed_at is null), 0::bigint, 'P4: what they asked of people is closed');
select is((select count(*) from office.activity as v where v.kind = 'run_retried'), 3::bigint, 'P4: … with activity');
select is(pg_temp.claim(), 'ann:user, bob:user, cat:user', 'P4: … and claimed');
select is((select max(a.number) from office.attempts as a), 2, 'P4: a new attempt each');
select is(pg_temp.dry('retry', $$ workspace => 'many' $$), null, 'P4: a second time there is nothing to try');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- What is stale by now ends so; several of one scope become one run (Q4, Q20).
select pg_temp.scenario('scopes', 'ann');
select office.set_setting('max_retry_count', '0', 'scopes');
create function pg_temp.give_up() returns uuid language plpgsql as $$
declare
  v_wakeup uuid := pg_temp.wake('ann');
begin
  perform pg_temp.claim();
  perform pg_temp.start(v_wakeup);
  perform pg_temp.fail(v_wakeup, 'usage limit reached, try again in 1 minute');
  return v_wakeup;
end
$$;
select pg_temp.give_up(), pg_temp.give_up(), pg_temp.give_up();
select pg_temp.wake('ann');
select pg_temp.look();
select is(
  pg_temp.dry('retry', $$ workspace => 'scopes' $$, ', dry_run => false'), 'ann:failed:queued, ann:failed:merged, ann:failed:merged',
  'Q4: several of one scope: the oldest stays'
);
select is(pg_temp.runs(), 'ann:user:event:queued:4, ann:user:event:cancelled/merged:0, ann:user:event:cancelled/merged:0, ann:user:event:cancelled/merged:0',
  'Q4: … and takes all in, the fresh one''s wake too');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- anew: what its agent names today, instead of what it froze.
select pg_temp.scenario('frozen', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.fail(:'w', 'no such program', 'configuration');
select office.update_agent('frozen/ann', '{"executor": {"command": ["/bin/false"]}}');
create function pg_temp.launched() returns text language sql as $$
  select c.executor -> 'command' ->> 0 from office.claim_runs(current_setting('testing.worker')::uuid) as c where c.run_id is not null
$$;
select from office.retry_run('r' || (pg_temp.run(:'w')).number);
select is(pg_temp.launched(), '/bin/true', 'P4: a retry keeps what it froze');
select pg_temp.fail(:'w', 'no such program', 'configuration');
select from office.retry_runs(agent => 'frozen/ann', anew => true, dry_run => false);
select is(pg_temp.launched(), '/bin/false', 'P4: … unless chosen anew');
select pg_temp.fail(:'w', 'no such program', 'configuration');
select office.update_agent('frozen/ann', '{"executor": {"command": ["/bin/sh"]}}');
select from office.retry_run('r' || (pg_temp.run(:'w')).number, anew => true);
select is(pg_temp.launched(), '/bin/sh', 'P4: … also of one');

-- stop_runs

select pg_temp.scenario('halt', 'ann', 'bob', 'cat');
select pg_temp.wake('ann') as live \gset
select pg_temp.claim();
select pg_temp.start(:'live');
select pg_temp.wake('ann', 'user', pg_temp.about(pg_temp.task('one')));
select pg_temp.wake('bob') as bobs \gset
select pg_temp.look();
select is(pg_temp.dry('stop', $$ workspace => 'halt' $$), 'ann:running:stopping, ann:queued:stopped, bob:queued:stopped', 'P2: first it says what would become of each');
select is(pg_temp.runs(), 'ann:user:event:running:1, ann:user:event:queued:1, bob:user:event:queued:1', 'P2: … and has done nothing');
select is(pg_temp.dry('stop', $$ agent => 'halt/ann', status => 'queued' $$), 'ann:queued:stopped', 'P2: by agent and status');
select is(
  (select string_agg(s.agent_name || ':' || s.becomes, ' ' order by s.run_id) from office.stop_runs(agent => 'halt/ann', reason => 'enough', dry_run => false) as s),
  'ann:stopping ann:stopped', 'P2: done'
);
select is((select a.status from office.agents as a where a.id = (pg_temp.run(:'live')).agent_id), 'active', 'P2: the agent itself is not stopped');
select is(pg_temp.finish(:'live') is null and (pg_temp.run(:'live')).result = 'stopped', true, 'P2: a stop ends as cancelled, whatever the program says');
select is(
  (select string_agg(v.detail ->> 'reason', ' ') from office.activity as v where v.kind = 'run_stopped' and v.workspace_id = (pg_temp.run(:'live')).workspace_id),
  'enough enough', 'P2: … with the reason'
);
select is(pg_temp.claim(), 'bob:user', 'P2: others go on');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- K11: wrong arguments
select is((pg_temp.refusal('select * from office.retry_runs()')).detail ->> 'code', 'missing', 'P4: everything at once is refused');
select is((pg_temp.refusal('select * from office.stop_runs(dry_run => false)')).detail ->> 'code', 'missing', 'P2: … here too; stop has a word for it');
select results_eq(
  $$
    select (pg_temp.refusal('select * from office.' || c)).state
    from (values
      (1, 'retry_runs(status => ''finished'')'), (2, 'retry_runs(status => ''cancelled'')'), (3, 'retry_runs(agent => ''nobody'')'),
      (4, 'retry_runs(workspace => ''nowhere'')'), (5, 'retry_runs(task => ''t99999'')'), (6, 'stop_runs(status => ''finished'')'),
      (7, 'stop_runs(task => ''x'')')
    ) as v (nth, c)
    order by nth
  $$,
  $$ values ('PT422'), ('PT422'), ('PT404'), ('PT404'), ('PT404'), ('PT422'), ('PT404') $$, 'K11: what is not tried again, not stopped, not there'
);
create role nobody_here login;
grant office_client to nobody_here;
set local session authorization nobody_here;
select is(
  array[(pg_temp.refusal('select * from office.retry_runs(status => ''failed'')')).state, (pg_temp.refusal('select * from office.stop_runs(status => ''queued'')')).state],
  array['PT401', 'PT401'], 'I6: nobody is refused'
);
reset session authorization;

select * from finish();
rollback;
