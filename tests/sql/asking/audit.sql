-- office.audit: proves the books (Q26). It says nothing of a sound office, and names each invariant that is violated: here each is broken
-- once, behind the triggers' back, so that the audit that ends every other file is known to be able to fail (K13).
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(27);

-- Something of everything
select pg_temp.scenario('books', 'ann', 'bob', 'cis', 'dan');
select pg_temp.task('the task', 'ann') as task \gset
select pg_temp.wake('bob') as running \gset
select pg_temp.claim();
select pg_temp.start(:'running');
select id as launched from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.wake('cis') as queued \gset
update office.agents set status = 'paused' where id = (pg_temp.wakeup(:'queued')).agent_id;
select pg_temp.wake('dan') as ended \gset
select pg_temp.claim();
select pg_temp.finish(:'ended');
select pg_temp.claim();
select pg_temp.wake('bob') as joined \gset
select pg_temp.claim();
select pg_temp.wake('dan') as asked \gset
select is_empty('select * from office.audit()', 'Q26: a sound office');

-- What the audit says after a change that no trigger saw; undone at once.
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
    set local session_replication_role = origin;
    v_found := (select string_agg(distinct a.invariant, '; ' order by a.invariant) from office.audit() as a);
    raise exception 'undo';
  exception when raise_exception then
    set local session_replication_role = origin;
  end;
  return coalesce(v_found, 'nothing');
end
$$;
select (pg_temp.run(:'running')).id as running_run, (pg_temp.run(:'running')).attempt_id as running_attempt, (pg_temp.run(:'queued')).id as queued_run, (pg_temp.run(:'ended')).id as ended_run, (pg_temp.run(:'launched')).id as launched_run \gset

create temporary table spent as select office_internal.keep_executor('{"command": ["/bin/true"], "provider": "acme:audited"}') as id;
select office.set_provider_limit('acme:audited', 1);
select is(pg_temp.found('select 1'), 'nothing', 'Q26: no change, nothing found');
select matches(pg_temp.found(c.change), c.invariant, format('Q26: found: %s', c.invariant))
from (values
  (format('delete from office_internal.signals where wakeup_id = %L', :'asked'), 'a queued wakeup has a signal'),
  (format('update office.wakeups set run_id = null where id = %L', :'joined'), 'a claimed or coalesced wakeup has a run'),
  (format('update office.wakeups set status = ''claimed'' where id = %L', :'ended'), 'a claimed wakeup''s run is under way or interrupted'),
  (format('update office.runs set coalesced_count = 9 where id = %L', :'running_run'), 'a run carries as many wakeups as it counts'),
  (format('update office.wakeups set status = ''cancelled'' where id = %L', :'joined'), 'a skipped or cancelled wakeup has a reason'),
  (format('update office.attempts set shown_wakeups = 0 where run_id = %L', :'ended_run'), 'an event wakeup of a finished run was shown'),
  (format('update office.attempts set ended_at = office.now(), outcome = ''failed'' where run_id = %L', :'running_run'), 'a live run has one live attempt'),
  ('update office.workers set ended_at = office.now(), end_reason = ''lease_lost''', 'a live run''s worker has not ended'),
  (format('update office.attempts set ended_at = null, outcome = null where run_id = %L', :'ended_run'), 'an ended or queued run has no live attempt'),
  (format('insert into office.runs (workspace_id, agent_id, reason, class, solo, status, requested_at) select workspace_id, agent_id, reason, class, true, ''running'', requested_at from office.runs, generate_series(1, 8) where id = %L', :'running_run'), 'a workspace keeps its slots'),
  (format('update office.runs set agent_id = %L where id = %L', (pg_temp.wakeup(:'launched')).agent_id, :'running_run'), 'an agent keeps its capacity'),
  (format('update office_internal.lanes set active = 0 where agent_id = %L', (pg_temp.wakeup(:'running')).agent_id), 'a lane says what its runs say'),
  (format('update office_internal.lanes set head_run_id = null where agent_id = %L', (pg_temp.wakeup(:'queued')).agent_id), 'a lane says what its runs say'),
  (format('update office.checkouts set checkout_run_id = %L', :'ended_run'), 'a task''s lock is held by a live run'),
  (format('delete from office_internal.signals; update office.runs set parked = ''blocker'' where id = %L', :'queued_run'), 'a parked run comes back by time or event'),
  (format('delete from office_internal.signals; update office_internal.lanes set open = true where agent_id = %L', (pg_temp.wakeup(:'queued')).agent_id), 'a ready lane or a due time is known to the claim'),
  (format('delete from office_internal.signals; update office.runs set parked = ''retry'', due_at = office.now() where id = %L', :'queued_run'), 'a ready lane or a due time is known to the claim'),
  (format('update office.runs set agent_id = office.uuid7() where id = %L', :'ended_run'), 'what an office row names is there'),
  (format('update office.runs set executor_id = (select id from spent) where id in (%L, %L)', :'running_run', :'launched_run'), 'a provider keeps its limit'),
  (format('insert into office.provider_holds (provider, until, since, reason, run_id, probe_run_id) select ''acme:audited'', office.now(), office.now(), ''x'', %1$L, %1$L', :'ended_run'), 'a hold''s probe is of its provider and under way'),
  (format('update office_internal.lanes set gave_up = 3 where agent_id = %L', (pg_temp.wakeup(:'running')).agent_id), 'an agent whose runs gave up too often is paused'),
  (format('delete from office_internal.signals; update office.runs set parked = ''provider'' where id = %L; update office_internal.lanes set open = true where agent_id = %L', :'queued_run', (pg_temp.wakeup(:'queued')).agent_id), 'a parked run comes back by time or event')
) as c (change, invariant);

-- Who lowers a limit below what runs has violated nothing; what is claimed after that would

select pg_temp.scenario('lowered', 'ann', 'bob');
select office.update_agent('lowered/ann', '{"max_concurrent_sessions": 3}');
select pg_temp.wake('ann', 'message', '{"session_id": "a0000000-0000-4000-8000-000000000009", "text": "x"}') as first \gset
select pg_temp.wake('ann', 'message', '{"session_id": "a0000000-0000-4000-8000-000000000009", "text": "y"}') as second \gset
select pg_temp.claim();
select office.update_agent('lowered/ann', '{"max_concurrent_sessions": 1}'), office.set_setting('max_concurrent_runs', '1', 'lowered');
select pg_temp.look();
select is_empty('select * from office.audit()', 'K9: lowering a limit violates none');
select pg_temp.finish(:'first'), pg_temp.finish(:'second');
select pg_temp.claim();
select is(
  (select l.excess + g.excess from office_internal.lanes as l join office_internal.gates as g on g.workspace_id = l.workspace_id
   where l.agent_id = (pg_temp.run(:'first')).agent_id),
  0, 'K9: … and the new one holds as soon as it can'
);
select is_empty('select * from office.audit()', 'Q26: the books are right');

select * from finish();
rollback;
