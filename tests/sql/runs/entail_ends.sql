-- office_internal.entail_ends: what an end entails, in its transaction, whoever made it (Q17): by function and by a plain UPDATE the same.
-- How wakeups end by their run's end (Q10), each way.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/deciding.psql

select plan(31);

-- What an end entails, told in one row.
create function pg_temp.entailed(wakeup uuid)
returns text
language sql
as $$
  select concat_ws(
    ' | ',
    r.status || '/' || r.result,
    'attempt ' || coalesce(a.outcome, 'lives'),
    'wakeup ' || w.status || coalesce('/' || w.reason, ''),
    case when exists (select from office.checkouts as c where c.checkout_run_id = r.id) then 'locked' else 'unlocked' end,
    'active ' || l.active,
    'cools until ' || to_char(l.cooling_until, 'HH24:MI:SS'),
    'activity ' || (select count(*) from office.activity as v where v.run_id = r.id and v.kind = 'run_ended'),
    'signals ' || (select count(*) from office_internal.signals as s where s.workspace_id = r.workspace_id and s.kind = 'look')
  )
  from office.wakeups as w
  join office.runs as r on r.id = w.run_id
  join office.attempts as a on a.id = r.attempt_id
  join office_internal.lanes as l on l.agent_id = r.agent_id
  where w.id = wakeup
$$;

-- One live run with a locked task and a cooldown.
create function pg_temp.live(name text)
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
  v_wakeup := (select w.id from office.wakeups as w join office.workspaces as s on s.id = w.workspace_id where s.name = live.name);
  perform pg_temp.start(v_wakeup);
  delete from office_internal.signals as s where s.workspace_id = (pg_temp.run(v_wakeup)).workspace_id and s.kind = 'look';
  return v_wakeup;
end
$$;

select pg_temp.live('as-it-is') as w \gset
select is(
  pg_temp.entailed(:'w'), 'running/running | attempt lives | wakeup claimed | locked | active 1 | activity 0 | signals 0', 'Q17: before the end'
);

select pg_temp.live('finish') as w \gset
select pg_temp.finish(:'w');
select is(
  pg_temp.entailed(:'w'),
  'finished/succeeded | attempt succeeded | wakeup finished | unlocked | active 0 | cools until 10:00:10 | activity 1 | signals 1',
  'Q17: a finish ends attempt, wakeup, lock and capacity, stamps the cooldown, leaves activity and a signal'
);
select pg_temp.entailed(:'w') as finished \gset
select pg_temp.live('finish-by-hand') as w \gset
update office.runs set status = 'finished' where id = (pg_temp.run(:'w')).id;
select is(pg_temp.entailed(:'w'), :'finished', 'Q17: a plain UPDATE to finished entails all the same');

select pg_temp.live('stop') as w \gset
select office.stop('r' || (pg_temp.run(:'w')).number);
select is((pg_temp.run(:'w')).status, 'stopping', 'P2: a stop asks first');
select pg_temp.fail(:'w', 'killed');
select is(
  pg_temp.entailed(:'w'),
  'cancelled/stopped | attempt stopped | wakeup cancelled/stopped | unlocked | active 0 | cools until 10:00:10 | activity 1 | signals 1',
  'Q17, sc-W10: a stopped run entails it and stamps the cooldown'
);
select pg_temp.entailed(:'w') as stopped \gset
select pg_temp.live('cancel-by-hand') as w \gset
update office.runs set status = 'cancelled' where id = (pg_temp.run(:'w')).id;
select is(pg_temp.entailed(:'w'), :'stopped', 'Q17: a plain UPDATE to cancelled entails all the same');

select pg_temp.live('block') as w \gset
select pg_temp.fail(:'w', 'no such program', 'configuration');
select is(
  pg_temp.entailed(:'w'),
  'blocked/blocked | attempt blocked | wakeup failed/blocked | unlocked | active 0 | cools until 10:00:10 | activity 1 | signals 1',
  'Q17, Q10: a blocked run fails its wakeup'
);
select pg_temp.entailed(:'w') as blocked \gset
select pg_temp.live('block-by-hand') as w \gset
update office.runs set status = 'blocked' where id = (pg_temp.run(:'w')).id;
select is(pg_temp.entailed(:'w'), :'blocked', 'Q17: a plain UPDATE to blocked entails all the same');

select pg_temp.live('give-up') as w \gset
select office.set_setting('max_retry_count', '0', 'give-up');
select pg_temp.fail(:'w');
select is(
  pg_temp.entailed(:'w'),
  'failed/failed | attempt failed | wakeup failed/failed | unlocked | active 0 | cools until 10:00:10 | activity 1 | signals 1',
  'Q17, sc-W10: a run that gives up entails it and stamps the cooldown'
);
select pg_temp.entailed(:'w') as failed \gset
select pg_temp.live('fail-by-hand') as w \gset
update office.runs set status = 'failed' where id = (pg_temp.run(:'w')).id;
select is(pg_temp.entailed(:'w'), :'failed', 'Q17: a plain UPDATE to failed entails all the same');

select pg_temp.live('interrupt') as w \gset
update office.runs set status = 'interrupted' where id = (pg_temp.run(:'w')).id;
select is(
  pg_temp.entailed(:'w'),
  'interrupted/interrupted | attempt interrupted | wakeup claimed | unlocked | active 0 | cools until 10:00:10 | activity 1 | signals 1',
  'Q17, Q10: an interrupted run frees everything, and its wakeup stays claimed'
);

-- Queued again: the attempt is over, the run is not (T10).
select pg_temp.live('again') as w \gset
select pg_temp.fail(:'w');
select is(
  pg_temp.entailed(:'w'),
  'queued/queued | attempt failed | wakeup claimed | unlocked | active 0 | cools until 10:00:10 | activity 0 | signals 1',
  'Q17, T10: a run that goes back to queued releases its lock'
);
select pg_temp.live('again-by-hand') as w \gset
update office.runs set status = 'queued' where id = (pg_temp.run(:'w')).id;
select is(
  pg_temp.entailed(:'w'),
  'queued/queued | attempt released | wakeup claimed | unlocked | active 0 | cools until 10:00:10 | activity 0 | signals 2',
  'Q17, T10: … by hand as well'
);

-- Kept while it waits, and while it is queued to go on (T10).
select pg_temp.live('waits') as w \gset
select pg_temp.ask(:'w');
select is(
  pg_temp.entailed(:'w'), 'waiting/waiting | attempt lives | wakeup claimed | locked | active 1 | activity 0 | signals 0', 'Q17, T10: a run that waits keeps all'
);
select pg_temp.leave(:'w');
select office.answer('d' || d.number, 'yes') from office.decisions as d where d.run_id = (pg_temp.run(:'w')).id;
select is(
  pg_temp.entailed(:'w'), 'queued/queued | attempt lives | wakeup claimed | locked | active 1 | activity 0 | signals 1',
  'Q17, T10: … and one that is queued to go on after an answer'
);

-- A lock is released only by the run that holds it.
select pg_temp.live('others-lock') as w \gset
select office.create_agent('bob', '{"command": ["/bin/true"]}', workspace => 'others-lock', cooldown_sec => 0);
select pg_temp.wake('bob', 'user') as other \gset
select is(pg_temp.claim(), 'bob:user', 'Q17: another run');
select pg_temp.finish(:'other');
select is((select count(*)::integer from office.checkouts as c where c.checkout_run_id = (pg_temp.run(:'w')).id), 1, 'Q17: … leaves this run''s lock alone');

-- Two at once, in one UPDATE
select pg_temp.scenario('many', 'ann', 'bob');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.wake('bob') as w2 \gset
select pg_temp.claim();
update office.runs set status = 'finished' where id in ((pg_temp.run(:'w1')).id, (pg_temp.run(:'w2')).id);
select is(
  (select array_agg(w.status || ' ' || a.outcome) from office.wakeups as w join office.runs as r on r.id = w.run_id join office.attempts as a on a.id = r.attempt_id where w.id in (:'w1', :'w2')),
  array['finished succeeded', 'finished succeeded'], 'Q17: one UPDATE of many runs entails it for each'
);

-- Q10: each way of a run's end that is not a launch's.
create function pg_temp.ended(outcome text, cancel_reason text)
returns text
language plpgsql
as $$
declare
  v_wakeup uuid := pg_temp.message('ann');
begin
  perform pg_temp.look();
  update office.runs as r
  set status = case when ended.outcome is null then 'cancelled' else 'finished' end, outcome = ended.outcome, cancel_reason = ended.cancel_reason
  where r.id = (pg_temp.run(v_wakeup)).id;
  return (pg_temp.wakeup(v_wakeup)).status || ' ' || coalesce((pg_temp.wakeup(v_wakeup)).reason, '-');
end
$$;
select pg_temp.scenario('mapping', 'ann');
select is(pg_temp.ended(m.outcome, m.cancel_reason), m.status || ' ' || coalesce(nullif(coalesce(m.outcome, m.cancel_reason), 'succeeded'), '-'), format('Q10: %s → %s', coalesce(m.outcome, m.cancel_reason), m.status))
from (values
  ('succeeded', null, 'finished'), ('idle_skipped', null, 'finished'), ('agent_stopped', null, 'finished'),
  ('checkout_lost', null, 'skipped'), ('budget_blocked', null, 'skipped'),
  (null, 'stopped', 'cancelled'), (null, 'task_terminal', 'cancelled'), (null, 'assignee_changed', 'cancelled')
) as m (outcome, cancel_reason, status);

-- A queued run that is ended by hand never had an attempt.
select pg_temp.scenario('never-launched', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.look();
update office.runs set status = 'cancelled' where id = (pg_temp.run(:'w')).id;
select is((pg_temp.wakeup(:'w')).status || ' ' || (select l.last_wakeup_finished_at is null from office_internal.lanes as l where l.agent_id = (pg_temp.run(:'w')).agent_id), 'cancelled true', 'Q17: … and stamps no cooldown');

-- If one of it fails, none happened.
select pg_temp.live('none-happened') as w \gset
create function pg_temp.refuse_activity() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
create trigger refuse_activity before insert on office.activity for each row when (new.kind = 'run_ended') execute function pg_temp.refuse_activity();
select throws_ok(format('select pg_temp.finish(%L)', :'w'), 'P0001', 'no room', 'Q17: an end of which a part fails …');
select is(pg_temp.entailed(:'w'), 'running/running | attempt lives | wakeup claimed | locked | active 1 | activity 0 | signals 0', 'Q17: … has not happened');
drop trigger refuse_activity on office.activity;
select pg_temp.finish(:'w');
select is(pg_temp.entailed(:'w'), :'finished', 'Q17: … and is called again');

select pg_temp.live('audited') as w \gset
update office.runs set status = 'interrupted' where id = (pg_temp.run(:'w')).id;
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
