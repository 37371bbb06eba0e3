-- office.audit: proves the books (Q26, K9). It says nothing of a sound office, and names each invariant that is violated: here each is
-- broken once, behind the triggers' back, and the audit says exactly that, so that the audit that ends every other file is known to be
-- able to fail (K13).
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(52);

-- Something of everything: bob runs, with a wake that joined it; ann is launched; cis is paused with one queued; dan has ended two, one
-- after the other; what is asked of dan last is not dispatched.
select pg_temp.scenario('books', 'ann', 'bob', 'cis', 'dan');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.wake('bob') as running \gset
select pg_temp.claim();
select pg_temp.start(:'running');
select id as launched from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select testing.advance('1 minute');
select pg_temp.wake('cis') as queued \gset
update office.agents set status = 'paused' where id = (pg_temp.wakeup(:'queued')).agent_id;
select pg_temp.wake('dan') as ended \gset
select pg_temp.claim();
select testing.advance('1 minute');
select pg_temp.finish(:'ended');
select testing.advance('1 minute');
select pg_temp.wake('dan') as second \gset
select pg_temp.claim();
select testing.advance('1 minute');
select pg_temp.finish(:'second');
select pg_temp.claim();
select pg_temp.wake('bob') as joined \gset
select pg_temp.claim();
select pg_temp.wake('dan') as asked \gset
select is_empty('select * from office.audit()', 'Q26: a sound office');

-- What the audit says after a change that no trigger saw; undone at once. Lanes follow, unless they are what is changed.
create function pg_temp.found(change text)
returns text
language plpgsql
as $$
declare
  v_found text;
begin
  begin
    set local session_replication_role = replica;
    execute change;
    if change not like 'update office_internal.lanes %' then
      perform office_internal.follow_runs(array(select l.agent_id from office_internal.lanes as l), '{}');
    end if;
    set local session_replication_role = origin;
    v_found := (select string_agg(format('%s (%s: %s)', a.invariant, a.subject, a.detail), '; ' order by a.invariant) from office.audit() as a);
    raise exception 'undo';
  exception when raise_exception then
    set local session_replication_role = origin;
  end;
  return coalesce(v_found, 'nothing');
end
$$;
select
  (pg_temp.run(:'running')).id as running_run, (pg_temp.run(:'running')).attempt_id as running_attempt,
  (pg_temp.run(:'launched')).id as launched_run, (pg_temp.run(:'launched')).attempt_id as launched_attempt,
  (pg_temp.run(:'queued')).id as queued_run, (pg_temp.run(:'queued')).agent_id as cis,
  (pg_temp.run(:'ended')).id as ended_run, (pg_temp.run(:'ended')).attempt_id as ended_attempt,
  (pg_temp.run(:'second')).id as second_run, (pg_temp.run(:'second')).attempt_id as second_attempt,
  (pg_temp.run(:'running')).agent_id as bob, (pg_temp.run(:'running')).workspace_id as workspace \gset
select claimed_at as at from office.attempts where id = :'ended_attempt' \gset

-- Without signals nothing is on its way.
select format(
  'delete from office_internal.signals; update office.wakeups set status = ''skipped'', reason = ''loop_guard'' where id = %L; ', :'asked'
) as quiet \gset
-- For a minute around dan's first claim there were two slots, then one.
select format(
  'insert into office.activity (workspace_id, at, kind, detail)
   values (%1$L, timestamptz %2$L - interval ''30 seconds'', ''limit_changed'', ''{"from": 8, "to": 2}''),
     (%1$L, timestamptz %2$L + interval ''30 seconds'', ''limit_changed'', ''{"from": 2, "to": 8}''); ', :'workspace', :'at'
) as two_slots \gset
select replace(:'two_slots', '2}', '1}') as one_slot \gset
select format(
  'insert into office.decisions (workspace_id, kind, agent_id, run_id, attempt_id, prompt, choices, asked_at, status, choice, decided_at)
   select workspace_id, ''question'', agent_id, id, attempt_id, ''?'', ''[]'', timestamptz %2$L - interval ''2 hours'', ''answered'', ''yes'', timestamptz %2$L
   from office.runs where id = %1$L; ', :'ended_run', :'at'
) as question \gset
create temporary table spent as select office_internal.keep_executor('{"command": ["/bin/true"], "provider": "acme:audited"}') as id;
select office.set_provider_limit('acme:audited', 1);

select is(pg_temp.found('select 1'), 'nothing', 'Q26: no change, nothing found');
select is(pg_temp.found(:'two_slots' || :'question'), 'nothing', 'S2, K9: one more than the slots, while a question waited, violates nothing');
select matches(pg_temp.found(c.change), '^' || c.invariant || ' \([^;]*$', format('Q26, K9, K13: found, and nothing else: %s', c.invariant))
from (values
  (format('delete from office_internal.signals where wakeup_id = %L', :'asked'), 'a queued wakeup has a signal'),
  (format('update office.wakeups set run_id = %L where id = %L', :'ended_run', :'asked'), 'a queued wakeup has no run'),
  (format('update office.wakeups set run_id = null where id = %L', :'ended'), 'a wakeup has the run that it made or joined'),
  (format('update office.wakeups set status = ''claimed'' where id = %L', :'ended'), 'a claimed wakeup''s run is under way or interrupted'),
  (format('update office.wakeups set status = ''finished'' where id = %L', :'running'), 'a settled wakeup''s run has ended'),
  (format('update office.wakeups set position = 9 where id = %L', :'joined'), 'a wakeup has its place in its run'),
  (format('update office.wakeups set position = null where id = %L', :'queued'), 'a wakeup has its place in its run'),
  (format('update office.runs set coalesced_count = 9 where id = %L', :'running_run'), 'a run carries as many wakeups as it counts'),
  (format('update office.wakeups set status = ''cancelled'' where id = %L', :'joined'), 'a skipped or cancelled wakeup has a reason'),
  (format('update office.attempts set shown_wakeups = 0 where run_id = %L', :'ended_run'), 'an event wakeup of an ended run was shown'),
  (format('update office.attempts set ended_at = now(), outcome = ''failed'' where run_id = %L', :'running_run'), 'a live run has one live attempt'),
  (format(
    'insert into office.attempts (run_id, workspace_id, number, worker_id, claimed_at, ended_at, outcome)
     select run_id, workspace_id, 2, worker_id, claimed_at, claimed_at, ''released'' from office.attempts where id = %L', :'ended_attempt'
  ), 'a run is live once at a time'),
  (format(
    'with w as (
       insert into office.workers (host, registered_at, beat_at, lease_until, ended_at, end_reason)
       select ''gone'', n, n, n, n, ''lease_lost'' from office.now() as n returning id
     )
     update office.runs as r set worker_id = w.id from w where r.id = %L', :'running_run'
  ), 'a live run''s worker has not ended'),
  (format('update office.attempts set ended_at = null, outcome = null where id = %L', :'second_attempt'), 'an ended or queued run has no live attempt'),
  (format('update office_internal.gates set slots = 1 where workspace_id = %L', :'workspace'), 'a workspace keeps its slots'),
  (format(
    'update office_internal.lanes set capacity = 0 where agent_id = %1$L;
     insert into office.activity (workspace_id, kind, agent_id, detail) values (%2$L, ''limit_changed'', %1$L, ''{"from": 1, "to": 0}'')', :'bob', :'workspace'
  ), 'an agent keeps its capacity'),
  (:'two_slots', 'no limit was ever exceeded'),
  (:'one_slot' || :'question', 'no limit was ever exceeded'),
  (format('update office.attempts set claimed_at = timestamptz %L + interval ''30 seconds'' where id = %L', :'at', :'second_attempt'), 'no limit was ever exceeded'),
  (format('update office_internal.lanes set active = 0 where agent_id = %L', :'bob'), 'a lane says what its runs say'),
  (format('update office_internal.lanes set head_run_id = null where agent_id = %L', :'cis'), 'a lane says what its runs say'),
  (format('update office.checkouts set checkout_run_id = %L', :'ended_run'), 'a task''s lock is held by a live run'),
  (format('%s update office.decisions set status = ''pending'', choice = null, decided_at = null where run_id = %L', :'question', :'ended_run'),
    'what is asked has its work under way'),
  (format('update office.runs set status = ''waiting'' where id = %L', :'running_run'), 'a waiting run waits for a decision'),
  (format('update office.runs set status = ''queued'', answered_at = now() where id = %L', :'running_run'), 'an answered run goes on with its attempt'),
  (format('%s update office.runs set parked = ''retry'' where id = %L', :'quiet', :'queued_run'), 'a parked run comes back by time or event'),
  (format('%s update office.runs set parked = ''window'' where id = %L', :'quiet', :'queued_run'), 'a parked run comes back by time or event'),
  (format('%s update office.runs set parked = ''snooze'' where id = %L', :'quiet', :'queued_run'), 'a parked run comes back by time or event'),
  (format('%s update office.runs set parked = ''blocker'' where id = %L', :'quiet', :'queued_run'), 'a parked run comes back by time or event'),
  (format('%s update office.runs set parked = ''checkout'' where id = %L', :'quiet', :'queued_run'), 'a parked run comes back by time or event'),
  (format('%1$s update office.runs set parked = ''provider'' where id = %2$L; update office_internal.lanes set open = true where agent_id = %3$L; update office.agents set status = ''active'', paused_by = null where id = %3$L', :'quiet', :'queued_run', :'cis'),
    'a parked run comes back by time or event'),
  (format('%s update office.runs set parked = ''resource'' where id = %L', :'quiet', :'queued_run'), 'a run parked for a resource has a holder or a signal'),
  (format('%s insert into office_internal.resource_waits (run_id, key, workspace_id) values (%L, ''worktree:x'', %L)', :'quiet', :'queued_run', :'workspace'),
    'who waits for a resource is found by its keys'),
  (format(
    'insert into office.resources (attempt_id, key, run_id, workspace_id, taken_at)
     values (%L, ''worktree:x'', %L, %3$L, now()), (%4$L, ''worktree:x'', %5$L, %3$L, now() + interval ''1 second'')',
    :'running_attempt', :'running_run', :'workspace', :'launched_attempt', :'launched_run'
  ), 'no two runs hold one key'),
  (format('insert into office.resources (attempt_id, key, run_id, workspace_id, taken_at) values (%L, ''worktree:x'', %L, %L, now())', :'ended_attempt', :'ended_run', :'workspace'),
    'a key is held by a live attempt, or until its cleanup is confirmed'),
  (format(
    '%1$s update office_internal.lanes set open = true where agent_id = %2$L; update office.agents set status = ''active'', paused_by = null where id = %2$L', :'quiet', :'cis'
  ), 'a ready lane or a due time is known to the claim'),
  (format('%s update office.runs set parked = ''retry'', due_at = now() where id = %L', :'quiet', :'queued_run'), 'a ready lane or a due time is known to the claim'),
  (format('%s update office.runs set scheduled_retry_at = timestamptz ''2100-01-01'' where id = %L', :'quiet', :'queued_run'), 'a run that is held back by itself is parked'),
  (format('%s update office_internal.lanes set open = false where agent_id = %L', :'quiet', :'bob'), 'a lane follows its agent'),
  (format('%s update office.agents set status = ''stopped'' where id = %L', :'quiet', :'cis'), 'nothing is queued for a stopped agent'),
  (format('update office.runs set agent_id = office.uuid7() where id = %L', :'ended_run'), 'what an office row names is there'),
  (format('update office.runs set task_id = office.uuid7() where id = %L', :'ended_run'), 'what an office row names is there'),
  (format('update office.runs set executor_id = (select id from spent) where id in (%L, %L)', :'running_run', :'launched_run'), 'a provider keeps its limit'),
  (format(
    'insert into office.provider_holds (provider, until, since, reason, run_id, probe_run_id) values (''acme:audited'', now(), now(), ''x'', %1$L, %1$L)', :'ended_run'
  ), 'a hold''s probe is of its provider and under way'),
  (format('update office_internal.lanes set gave_up = 3 where agent_id = %L', :'bob'), 'an agent whose runs gave up too often is paused')
) as c (change, invariant);

-- Who lowers a limit below what runs has violated nothing; what is claimed after that would

select pg_temp.scenario('lowered', 'ann', 'bob');
select office.update_agent('lowered/ann', '{"max_concurrent_sessions": 3}');
select pg_temp.message('ann') as first \gset
select pg_temp.message('ann', 'y') as second \gset
select pg_temp.claim();
select testing.advance('1 minute');
select office.update_agent('lowered/ann', '{"max_concurrent_sessions": 1}'), office.set_setting('max_concurrent_runs', '1', 'lowered');
select pg_temp.look();
select is_empty('select * from office.audit()', 'K9: lowering a limit violates none');
select testing.advance('1 minute');
select pg_temp.finish(:'first'), pg_temp.finish(:'second');
select pg_temp.claim();
select is(
  (select l.excess + g.excess from office_internal.lanes as l join office_internal.gates as g on g.workspace_id = l.workspace_id
   where l.agent_id = (pg_temp.run(:'first')).agent_id),
  0, 'K9: … and the new one holds as soon as it can'
);
select is_empty('select * from office.audit()', 'Q26: the books are right');

select matches(
  pg_temp.found('delete from office.activity where kind = ''limit_changed'''), 'no limit was ever exceeded',
  'K13: a sweep against today''s limits would cry wolf'
);

select * from finish();
rollback;
