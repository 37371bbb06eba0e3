-- A bad night, by hand in psql, by an operator's login: help, health, stuck, a pause of everything, a dead worker, retries counted first,
-- and an UPDATE that ends a run, with everything that its end entails, whatever the end (Q17, A1, I4, P1, P4).
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql

select plan(34);

create role night_shift login;
grant office_operator to night_shift;
grant usage on schema tap, testing to night_shift;
grant execute on all functions in schema tap to night_shift;
grant select, update on testing.clock to night_shift;

-- Everything that Q17 names, of one run: what holds before its end, in words, one line each.
create function pg_temp.story(wakeup uuid)
returns table (what text, says text)
language sql
as $$
  select v.what, v.says
  from office.wakeups as w
  join office.runs as r on r.id = w.run_id
  join office.attempts as a on a.id = r.attempt_id
  join office_internal.lanes as l on l.agent_id = r.agent_id
  cross join lateral (
    values
      (1, 'run', r.status || '/' || r.result || case when r.ended_at is null then '' else ', ended' end),
      (2, 'attempt (its lease, its token)', coalesce(a.outcome, 'lives')),
      (3, 'the task''s lock', case when exists (select from office.checkouts as c where c.checkout_run_id = r.id) then 'held' else 'free' end),
      (4, 'resources', (select string_agg(h.key || case when h.ended_at is null then ' held' else ' until cleaned up' end, ', ' order by h.key)
        from office.resources as h where h.run_id = r.id and h.key not like 'session:%')),
      (5, 'decisions', (select string_agg(d.status, ', ') from office.decisions as d where d.run_id = r.id and d.kind = 'question')),
      (6, 'wakeup', w.status || coalesce('/' || w.reason, '')),
      (7, 'active runs of the agent', l.active::text),
      (8, 'cooldown', coalesce(to_char(l.cooling_until, 'HH24:MI:SS'), 'none')),
      (9, 'activity', (select string_agg(y.detail ->> 'result', ', ') from office.activity as y where y.run_id = r.id and y.kind = 'run_ended')),
      (10, 'the claim is told', (exists (
        select from office_internal.signals as s where s.workspace_id = r.workspace_id and s.kind = 'look'
      ))::text)
  ) as v (nth, what, says)
  where w.id = wakeup
  order by v.nth
$$;
create function pg_temp.told(wakeup uuid) returns text language sql as $$
  select string_agg(s.what || ': ' || coalesce(s.says, 'none'), E'\n') from pg_temp.story(wakeup) as s
$$;

-- A started run with a locked task, a folder, an open question, a wake that came after its prompt, and a cooldown.
create function pg_temp.night(name text)
returns uuid
language plpgsql
as $$
declare
  v_wakeup uuid;
begin
  perform pg_temp.scenario(name, 'ann');
  perform office.update_agent(name || '/ann', '{"cooldown_sec": 10}');
  perform pg_temp.task('the task', 'ann');
  perform pg_temp.claim();
  v_wakeup := (select w.id from office.wakeups as w join office.workspaces as s on s.id = w.workspace_id where s.name = night.name);
  perform pg_temp.start(v_wakeup);
  perform office.carry_out();
  perform office.add_resource(pg_temp.attempt(v_wakeup), 'folder:server:/srv/' || name);
  perform pg_temp.ask(v_wakeup);
  perform pg_temp.wake('ann', 'comment', jsonb_build_object('task_id', (pg_temp.wakeup(v_wakeup)).task_id, 'comment_id', office.uuid7()));
  perform pg_temp.look();
  delete from office_internal.signals as s where s.workspace_id = (pg_temp.run(v_wakeup)).workspace_id;
  return v_wakeup;
end
$$;

-- The hand: an operator's, in psql.
create function pg_temp.by_hand(wakeup uuid, change text)
returns void
language plpgsql
as $$
declare
  v_number bigint := (pg_temp.run(wakeup)).number;
begin
  set local session authorization night_shift;
  execute format('update office.runs set %s where number = %s', change, v_number);
  reset session authorization;
end
$$;

select pg_temp.night('as-it-was') as w \gset
select is(
  pg_temp.told(:'w'),
  'run: waiting/waiting
attempt (its lease, its token): lives
the task''s lock: held
resources: folder:server:/srv/as-it-was held
decisions: pending
wakeup: claimed
active runs of the agent: 1
cooldown: none
activity: none
the claim is told: false',
  'Q17: before the end'
);

create function pg_temp.ended(status text, result text, outcome text, wakeup text, name text) returns text language sql as $$
  select format(
    E'run: %s/%s, ended\nattempt (its lease, its token): %s\nthe task''s lock: free\nresources: folder:server:/srv/%s until cleaned up\n'
    'decisions: expired\nwakeup: %s\nactive runs of the agent: 0\ncooldown: 10:00:10\nactivity: %s\nthe claim is told: true',
    status, result, outcome, name, wakeup, result
  )
$$;

select pg_temp.night('finished') as w \gset
select pg_temp.by_hand(:'w', $$ status = 'finished' $$);
select is(pg_temp.told(:'w'), pg_temp.ended('finished', 'succeeded', 'succeeded', 'finished', 'finished'), 'Q17: finished by hand');
select is(pg_temp.runs(), 'ann:task_assigned:event:finished/succeeded:1, ann:comment:event:queued:1', 'Q5: what came too late is carried on');
select is_empty('select * from office.audit()', 'Q26: the books are right');

select pg_temp.night('cancelled') as w \gset
select pg_temp.by_hand(:'w', $$ status = 'cancelled' $$);
select is(pg_temp.told(:'w'), pg_temp.ended('cancelled', 'stopped', 'stopped', 'cancelled/stopped', 'cancelled'), 'Q17: cancelled by hand');
select is(pg_temp.runs(), 'ann:task_assigned:event:cancelled/stopped:2', 'Q5: a person stopped it: what came too late is cancelled with it');
select is_empty('select * from office.audit()', 'Q26: the books are right');

select pg_temp.night('failed') as w \gset
select pg_temp.by_hand(:'w', $$ status = 'failed' $$);
select is(pg_temp.told(:'w'), pg_temp.ended('failed', 'failed', 'failed', 'failed/failed', 'failed'), 'Q17: failed by hand');
select is(pg_temp.runs(), 'ann:task_assigned:event:failed:1, ann:comment:event:queued:1', 'Q5: what came too late is carried on');
select is_empty('select * from office.audit()', 'Q26: the books are right');

select pg_temp.night('blocked') as w \gset
select pg_temp.by_hand(:'w', $$ status = 'blocked' $$);
select is(pg_temp.told(:'w'), pg_temp.ended('blocked', 'blocked', 'blocked', 'failed/blocked', 'blocked'), 'Q17: blocked by hand');
select is_empty('select * from office.audit()', 'Q26: the books are right');

select pg_temp.night('interrupted') as w \gset
select pg_temp.by_hand(:'w', $$ status = 'interrupted' $$);
select is(pg_temp.told(:'w'), pg_temp.ended('interrupted', 'interrupted', 'interrupted', 'claimed', 'interrupted'), 'Q17: interrupted by hand: its wakeup waits for the retry');
select pg_temp.by_hand(:'w', $$ status = 'queued' $$);
select is((pg_temp.run(:'w')).status, 'queued', 'P4: … which a hand can order, too');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- What does not end is refused, whole.
select pg_temp.night('refused') as w \gset
select is(
  (pg_temp.refusal(format('select pg_temp.by_hand(%L, $x$ status = ''claimed'' $x$)', :'w'))).state, 'PT409', 'Q9: a waiting run is not claimed by hand'
);
reset session authorization;
select is((pg_temp.run(:'w')).status, 'waiting', 'Q9: … and stays what it was');

-- The whole night, typed as it would be. Three runs: one hangs, one is blocked, one's worker is dead.
select pg_temp.scenario('night', 'ann', 'bob', 'cat');
select pg_temp.wake('ann') as anns \gset
select pg_temp.wake('bob') as bobs \gset
select pg_temp.wake('cat') as cats \gset
select pg_temp.claim();
select pg_temp.start(:'anns'), pg_temp.start(:'bobs'), pg_temp.start(:'cats');
select pg_temp.fail(:'bobs', 'no such program', 'configuration');
select current_setting('testing.worker') as worker \gset
select 'r' || (pg_temp.run(:'anns')).number as hanging \gset
select (pg_temp.run(:'anns')).number as number \gset
select testing.advance('20 minutes');
set local session authorization night_shift;
select isnt_empty('select * from office.help() where topic ~ ''stuck''', 'I1: help says where to look');
select is(
  (select string_agg(h.check_name, ', ' order by h.check_name) from office.health as h where h.level <> 'ok'),
  'no worker lives, runs that need a person, runs that wait for a worker, workers past their lease', 'I4: health says what is not well'
);
select isnt_empty($$ select * from office.stuck as s where s.workspace = 'night' and s.kind = 'needs a person' $$, 'I4: stuck says which');
select is((select p.stopping >= 2 from office.pause('everything', 'one thing at a time') as p), true, 'P1: everything is paused');
select is((select r.stop_reason from office.runs as r where r.number = :number), 'paused', 'P1: … live runs are asked to stop');
select is((select office.expire_worker(:'worker')), 2, 'P3: the dead worker''s runs are let go');
select is((select string_agg(r.status, ' ' order by r.number) from office.runs as r join office.workspaces as w on w.id = r.workspace_id
  where w.name = 'night'), 'queued blocked queued', 'P1: what the pause had stopped is queued again, also when its worker died');
select is((select count(*) from office.retry_runs(workspace => 'night')), 1::bigint, 'P4: how many would be tried again');
select is((select r.becomes from office.retry_runs(workspace => 'night', dry_run => false) as r), 'queued', 'P4: then they are');
update office.runs set status = 'cancelled' where number = :number;
select is((select r.result from office.result(:'hanging') as r), 'stopped', 'A1: an UPDATE ends the one that hangs');
select is((select r.queued >= 2 from office.resume('everything') as r), true, 'P1: and everything goes on');
reset session authorization;
select set_config('testing.worker', w.worker_id::text, true) from office.register_worker('box', max_runs => 100, workspace => 'night') as w;
select is(pg_temp.claim(), 'bob:user, cat:user', 'P1: … the others are launched, in the old order');
select pg_temp.finish(:'bobs'), pg_temp.finish(:'cats');
select is((select string_agg(r.result, ' ' order by r.number) from office.runs as r join office.workspaces as w on w.id = r.workspace_id
  where w.name = 'night'), 'stopped succeeded succeeded', 'all is settled');
select is_empty($$ select * from office.stuck as s where s.workspace = 'night' $$, 'I4: nothing there is stuck');
select is(
  (select string_agg(distinct y.kind, ' ' order by y.kind) from office.activity as y join office.workspaces as w on w.id = y.workspace_id
    where w.name = 'night' and y.kind in ('paused', 'resumed', 'run_retried')),
  'paused resumed run_retried', 'I5: activity says what was done'
);
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- Only an operator's hand: a client's has no right, and changes nothing.
create role app_login login;
grant office_client to app_login;
set local session authorization app_login;
select is((pg_temp.refusal('update office.runs set status = ''cancelled''')).state, '42501', 'I5: a client updates no run');
reset session authorization;

select * from finish();
rollback;
