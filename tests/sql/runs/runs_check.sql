-- The state machines of runs (Q9) and wakeups (Q10): every pair of statuses by plain UPDATE, exactly as the rows of run_moves and
-- wakeup_moves say; and what goes with a status, whoever wrote it.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(25);

select set_eq(
  $$ select status || case when live then ' live' when ended then ' ended' else '' end from office.run_states $$,
  array[
    'queued', 'claimed live', 'running live', 'waiting live', 'stopping live',
    'finished ended', 'failed ended', 'cancelled ended', 'interrupted ended', 'blocked ended'
  ],
  'Q9: the statuses of a run'
);

-- Each move on a fresh run that was put into its status without the triggers; undone at once.
create function pg_temp.try_run(was text, becomes text)
returns text
language plpgsql
as $$
declare
  v_run uuid := (pg_temp.run(pg_temp.message('ann'))).id;
  v_attempt uuid := office.uuid7();
  v_said pg_temp.refusal;
  v_is text;
begin
  perform pg_temp.look();
  v_run := (select r.id from office.runs as r order by r.number desc limit 1);
  set local session_replication_role = replica;
  update office.runs as r
  set status = was, outcome = case was when 'finished' then 'succeeded' end, cancel_reason = case was when 'cancelled' then 'stopped' end,
    ended_at = case when was in ('finished', 'failed', 'cancelled', 'interrupted', 'blocked') then office.now() end,
    attempt_id = v_attempt
  where r.id = v_run;
  insert into office.attempts (id, run_id, workspace_id, number, worker_id, claimed_at)
  select v_attempt, r.id, r.workspace_id, 1, current_setting('testing.worker')::uuid, office.now() from office.runs as r where r.id = v_run;
  set local session_replication_role = origin;
  -- As if the hand's were a statement of its own.
  perform set_config('office.gates', '', true);
  v_said := pg_temp.refusal(format('update office.runs set status = %L where id = %L', becomes, v_run));
  select r.status into v_is from office.runs as r where r.id = v_run;
  return case
    when (v_said).state is null and v_is = becomes then 'moved'
    when (v_said).state is null then 'became ' || v_is
    when (v_said).state = 'PT409' and (v_said).detail ->> 'code' = 'move_refused'
      and (v_said).detail ->> 'from' = was and (v_said).detail ->> 'to' = becomes and v_is = was then 'refused'
    else (v_said).state || ' ' || (v_said).message
  end;
end
$$;

select pg_temp.scenario('moves', 'ann');
create temporary table tried as
select f.status as was, t.status as becomes, null::text as found
from office.run_states as f
cross join office.run_states as t
where f.status <> t.status;
update tried set found = pg_temp.try_run(was, becomes);
select is((select count(*)::integer from tried), 90, 'Q9: ninety pairs');
select results_eq(
  $$ select was, becomes, found from tried order by was, becomes $$,
  $$
    select
      t.was, t.becomes,
      case
        when m.from_status is null or m.to_status in ('claimed', 'waiting') or (m.from_status, m.to_status) = ('interrupted', 'running') then 'refused'
        else 'moved'
      end
    from tried as t
    left join office.run_moves as m on m.from_status = t.was and m.to_status = t.becomes
    order by t.was, t.becomes
  $$,
  'Q9, Q11: a plain UPDATE moves a run exactly where run_moves says, but to a launch, to wait for nothing, and back to an attempt that is over, and is refused elsewhere, naming both statuses'
);
select is_empty(
  $$ select was from tried where was in ('finished', 'cancelled') and found <> 'refused' $$, 'Q9: finished and cancelled runs change no more'
);
select is(
  (select array_agg(m.to_status order by m.to_status) from office.run_moves as m where m.from_status = 'failed'), array['queued'],
  'Q9: a failed run changes by retry only'
);

select pg_temp.scenario('columns', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.look();
select is(
  (pg_temp.refusal(format('update office.runs set status = ''running'' where id = %L', (pg_temp.run(:'w')).id))).hint,
  'From queued it can go to: blocked, cancelled, claimed, failed, finished.', 'Q9: the refusal says what is allowed'
);
select pg_temp.claim();
update office.runs set status = 'finished' where id = (pg_temp.run(:'w')).id;
select is((pg_temp.run(:'w')).outcome, 'succeeded', 'Q9: finished by hand without an outcome is succeeded');
select is((pg_temp.run(:'w')).ended_at, office.now(), 'Q9: … and has its end');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
update office.runs set status = 'cancelled' where id = (pg_temp.run(:'w')).id;
select is((pg_temp.run(:'w')).result, 'stopped', 'Q9: cancelled by hand without a reason is stopped');
select is(
  (pg_temp.refusal(format('update office.runs set outcome = ''succeeded'' where id = %L', (pg_temp.run(:'w')).id))).state, 'PT409',
  'Q9: an ended run changes no more'
);

-- result never shows a blocked budget as a success.
select pg_temp.wake('ann') as w \gset
select pg_temp.look();
update office.runs set status = 'finished', outcome = 'budget_blocked' where id = (pg_temp.run(:'w')).id;
select is((pg_temp.run(:'w')).result, 'budget_blocked', 'Q9: result is one word for outcome, cancel reason and status');

-- Dropping an interrupted run, by hand

select pg_temp.scenario('drop', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select pg_temp.start(:'w1');
select pg_temp.wake('ann') as w2 \gset
select pg_temp.look();
select office.expire_worker(current_setting('testing.worker')::uuid);
select is((pg_temp.run(:'w1')).status || ' ' || (pg_temp.wakeup(:'w1')).status, 'interrupted claimed', 'Q10: while its run is interrupted a wakeup stays claimed');
select is((select count(*)::integer from office.needs_me as n where n.run = 'r' || (pg_temp.run(:'w1')).number), 1, 'Q22: … and a person is asked');
update office.runs set status = 'cancelled' where id = (pg_temp.run(:'w1')).id;
select is((pg_temp.run(:'w1')).result, 'dropped', 'Q9: an interrupted run that is cancelled was dropped');
select is(
  (select array_agg(concat_ws(' ', w.status, w.reason) order by w.position) from office.wakeups as w where w.id in (:'w1', :'w2')),
  array['cancelled dropped', 'cancelled dropped'], 'Q10: … and its wakeups with it, seen or not'
);
select is((select count(*)::integer from office.needs_me as n where n.run = 'r' || (pg_temp.run(:'w1')).number), 0, 'Q9: … and nobody is asked any more');
select is(pg_temp.runs(), 'ann:user:event:cancelled/dropped:2', 'Q5: … nothing follows');

-- Retry by hand

select pg_temp.scenario('retry-by-hand', 'ann');
select office.set_setting('max_retry_count', '0', 'retry-by-hand');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.fail(:'w');
select is((pg_temp.run(:'w')).status || ' ' || (pg_temp.wakeup(:'w')).status, 'failed failed', 'Q10: a run that gave up fails its wakeup');
select pg_temp.look();
update office.runs set status = 'queued' where id = (pg_temp.run(:'w')).id;
select is(
  (pg_temp.run(:'w')).status || ' ' || (pg_temp.wakeup(:'w')).status || ' ' || (pg_temp.run(:'w')).retry_count, 'queued claimed 0',
  'Q9, Q10: a retry by hand makes the wakeup claimed again and forgets the failures'
);
select is((select count(*)::integer from office.needs_me as n where n.run = 'r' || (pg_temp.run(:'w')).number), 0, 'P4: … and closes its inbox item');
select is(pg_temp.claim(), 'ann:user', 'Q9: … and it is launched');
select is((pg_temp.finish(:'w')), 'succeeded', 'Q9: … and ends');
select is((pg_temp.wakeup(:'w')).status, 'finished', 'Q10: … and so does the wakeup');

-- Wakeups

select set_eq(
  'select status from office.wakeup_states', array['queued', 'claimed', 'coalesced', 'finished', 'skipped', 'failed', 'cancelled'],
  'Q10: the statuses of a wakeup'
);
create function pg_temp.try_wakeup(was text, becomes text)
returns text
language plpgsql
as $$
declare
  v_wakeup uuid := pg_temp.wake('ann');
  v_said pg_temp.refusal;
begin
  set local session_replication_role = replica;
  update office.wakeups as w set status = was where w.id = v_wakeup;
  set local session_replication_role = origin;
  v_said := pg_temp.refusal(format('update office.wakeups set status = %L where id = %L', becomes, v_wakeup));
  delete from office_internal.signals as s where s.wakeup_id = v_wakeup;
  return case
    when (v_said).state is null and (pg_temp.wakeup(v_wakeup)).status = becomes then 'moved'
    when (v_said).state = 'PT409' and (v_said).detail ->> 'code' = 'move_refused' and (pg_temp.wakeup(v_wakeup)).status = was then 'refused'
    else coalesce((v_said).state || ' ' || (v_said).message, 'ignored')
  end;
end
$$;
create temporary table tried_wakeups as
select f.status as was, t.status as becomes, null::text as found
from office.wakeup_states as f
cross join office.wakeup_states as t
where f.status <> t.status;
update tried_wakeups set found = pg_temp.try_wakeup(was, becomes);
select results_eq(
  $$ select was, becomes, found from tried_wakeups order by was, becomes $$,
  $$
    select t.was, t.becomes, case when m.from_status is null then 'refused' else 'moved' end
    from tried_wakeups as t
    left join office.wakeup_moves as m on m.from_status = t.was and m.to_status = t.becomes
    order by t.was, t.becomes
  $$,
  'Q10: a plain UPDATE moves a wakeup exactly where wakeup_moves says'
);
select * from finish();
rollback;
