-- I9 in its first form, Q10: the story of a run, a task, a wakeup; what became of it; whatever it is asked by.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(26);
select testing.install_clock('2026-01-05 10:00+00');

select from office.create_agent('ann', executor => '{"command": ["/bin/true"]}', cooldown_sec => 0);
select from office.create_agent('bare');
select worker_id as worker from office.register_worker('box') \gset
select task as t from office.create_task('Look at order 7', assignee => 'ann') \gset

-- Not dispatched yet.
select results_eq(
  $$ select run, agent, task, reason, waiting_for, lift from office.up_next $$,
  format($$ values (null::text, 'ann', %L, 'task_assigned', 'the dispatch', 'select office.dispatch();') $$, :'t'),
  'S5: what nobody has dispatched is shown as that, with what dispatches it'
);
select results_eq(
  format('select reference, kind, status, result, run from office.result(%L)', :'t'), format($$ values (%L, 'task', 'none', 'no run yet', null::text) $$, :'t'),
  'Q10: a task without a run yet'
);
select testing.advance('1 second');
select office.dispatch() as taken \gset
select results_eq(
  format('select status, outcome, result, run from office.result(%L)', :'t'), $$ values ('queued', null::text, 'queued', 'r1') $$, 'Q10: its run is queued'
);
select testing.advance('1 second');
select attempt_id as attempt from office.claim_runs(:'worker') where run_id is not null \gset
select testing.advance('1 second');
select from office.start_attempt(:'attempt', 4711);
select testing.advance('1 second');
select from office.wake('ann', payload => jsonb_build_object('task_id', :'t'));
select office.dispatch() as taken \gset
select results_eq(
  $$ select run, agent, task, title, workspace, status, attempt, pid, worker, since from office.running $$,
  format($$ values ('r1', 'ann', %L, 'Look at order 7', 'main', 'running', 1, 4711, 'box', '2026-01-05 10:00:03+00'::timestamptz) $$, :'t'),
  'I4: running shows what is under way'
);
select results_eq(
  $$ select agent, workspace, role, status, active, capacity, queued from office.agent_load order by agent $$,
  $$ values ('ann', 'main', 'worker', 'working', 1::bigint, 1, 0::bigint), ('bare', 'main', 'worker', 'idle', 0, 1, 0) $$,
  'Q23: agent_load: idle and working are derived'
);
select testing.advance('10 minutes');
select from office.fail_attempt(:'attempt', 'exit 1: no such order', exit_code => 1);
select testing.advance('1 day');
select attempt_id as attempt from office.claim_runs(:'worker') where run_id is not null \gset
select from office.start_attempt(:'attempt', 4712);
select testing.advance('1 minute');
select from office.fail_attempt(:'attempt', '/bin/true is not there', 'configuration');
select testing.advance('1 minute');

select results_eq(
  $$ select at, event, detail, lasted from office.why('r1') where not (event = 'waited' and at >= '2026-01-05 10:10:04+00') $$,
  $$
    values
      ('2026-01-05 10:00:01+00'::timestamptz, 'woken', 'task_assigned', null::interval),
      ('2026-01-05 10:00:01+00', 'waited', 'for a worker', '1 second'),
      ('2026-01-05 10:00:02+00', 'claimed', 'attempt 1, by worker on box', '1 second'),
      ('2026-01-05 10:00:03+00', 'started', 'attempt 1, pid 4711', '10 minutes 1 second'),
      ('2026-01-05 10:00:04+00', 'woken', 'user (merged, 2 of 2; shown by attempt 2)', null),
      ('2026-01-05 10:10:04+00', 'failed', 'attempt 1: exit 1: no such order, exit code 1', null),
      ('2026-01-05 10:10:04+00', 'retry scheduled', 'back-off, retry 1', null),
      ('2026-01-06 10:10:04+00', 'claimed', 'attempt 2, by worker on box', '0'),
      ('2026-01-06 10:10:04+00', 'started', 'attempt 2, pid 4712', '1 minute'),
      ('2026-01-06 10:11:04+00', 'blocked', 'attempt 2: /bin/true is not there', null),
      ('2026-01-06 10:11:04+00', 'blocked', 'blocked', null)
  $$,
  'I9: the whole story of a run: what woke it, merged how, every attempt with its end, its retry, and how long each lasted'
);
select is(
  (select string_agg(detail, '; ' order by at) || '; ' || sum(lasted) from office.why('r1') where event = 'waited' and at >= '2026-01-05 10:10:04+00'),
  'for its retry; for a worker: none lived; 24:00:00', 'I9: it waited for its retry, and then for a worker'
);
select is((select lift from office.why('r1') order by at desc, lift nulls last limit 1), $$select * from office.retry_run('r1');$$, 'I9: with what a person can do about it');
select results_eq(
  format('select event, detail from office.why(%L)', :'t'), $$ select event, detail from office.why('r1') $$, 'I9: a task tells its latest run''s story'
);
select id as wakeup from office.wakeups where position = 2 \gset
select results_eq(
  format('select event, detail from office.why(%L)', :'wakeup'), $$ select event, detail from office.why('r1') $$, 'I9: a wakeup its run''s'
);
select results_eq(
  format('select kind, status, result, run, error from office.result(%L)', :'t'),
  $$ values ('task', 'blocked', 'blocked', 'r1', '/bin/true is not there') $$, 'Q10: result says how it ended'
);
select results_eq(
  format('select kind, status, result, run from office.result(%L)', :'wakeup'),
  $$ values ('wakeup', 'coalesced', 'blocked', 'r1') $$, 'Q10: a wakeup that joined a run has that run''s outcome'
);
select results_eq(
  $$ select workspace, kind, title, agent, task, run from office.inbox $$,
  format($$ values ('main', 'run.blocked', 'r1 of ann is blocked', 'ann', %L, 'r1') $$, :'t'), 'Q23: inbox shows what needs a person'
);
-- A blocked run, health, and the way back.
select results_eq(
  $$ select level, value, mend from office.health where check_name = 'runs that need a person' $$,
  $$ values ('warning', 1::bigint, 'select * from office.stuck;') $$, 'I4: health counts it, with the SQL that mends'
);
select is((select body from office.inbox) like '%' || (select lift from office.why('r1') where lift is not null limit 1) || '%', true, 'Q23: the inbox says the same command');
do $$ begin execute (select lift from office.why('r1') where lift is not null limit 1); end $$;
select is((select status from office.result('r1')), 'queued', 'P4: typed, it queues the run again');
select is_empty('select * from office.inbox', 'P4: and closes the inbox item');
select set_eq('select run from office.claim_runs(' || quote_literal(:'worker') || ') where run_id is not null', $$ values ('r1') $$, 'P4: and the next claim takes it');
select a.status from office.runs as r, office.finish_attempt(r.attempt_id, '{"summary": "It came twice."}') as a where r.status = 'claimed';
select results_eq(
  $$ select status, outcome, result, summary, ended_at from office.result('r1') $$,
  $$ values ('finished', 'succeeded', 'succeeded', 'It came twice.', office.now()) $$, 'Q10: result gives outcome and summary'
);

-- Tasks without a run say why.
create function pg_temp.why(task text) returns text language sql as $$ select concat_ws('; ', event, detail, lift) from office.why(task) $$;
select task as nobodys from office.create_task('nobody''s') \gset
select is(
  pg_temp.why(:'nobodys'), format('no run; nobody is assigned; select * from office.assign_task(''%s'', ''AGENT'');', :'nobodys'), 'I9: nobody is assigned'
);
select task as blocked from office.create_task('blocked', assignee => 'ann', blocked_by => array[:'nobodys']) \gset
select office.dispatch() as taken \gset
select is(pg_temp.why(:'blocked'), 'no run; it waits for other tasks, and is woken when they have ended', 'I9: it is blocked');
select task as idea from office.create_task('idea', assignee => 'ann', state => 'proposed') \gset
select office.dispatch() as taken \gset
select is(pg_temp.why(:'idea'), 'no run; its stage or workflow starts no work', 'I9: it is only proposed');

-- Health when all is well but for one thing at a time.
select office.carry_out() as carried \gset
select results_eq(
  $$ select check_name, level from office.health where level <> 'ok' order by check_name $$,
  $$ values ('no worker lives', 'error'), ('workers past their lease', 'warning') $$, 'I4: a worker that has not beaten for a day is past its lease'
);
select worker_id as fresh from office.register_worker('box2') \gset
select from office.expire_worker(:'worker');
select is_empty($$ select check_name, level from office.health where level <> 'ok' $$, 'I4: with a worker alive all is well');
select is_empty($$ select check_name from office.health where (mend is null) <> (level = 'ok') $$, 'I4: what is well needs no mending, what is not says what does');
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
