-- office.undispatched: nothing that was asked for is invisible (Q1, S5). And what office.why and office.result say of wakeups that came to
-- nothing (Q5, Q10).
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(12);

select pg_temp.scenario('undispatched', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.task('the task', 'ann') as task \gset
select results_eq(
  $$
    select a.name, u.task_id, u.reason, u.requested_at
    from office.undispatched() as u
    join office.agents as a on a.id = u.agent_id
    join office.workspaces as w on w.id = u.workspace_id
    where w.name = 'undispatched'
  $$,
  format(
    $$ values ('ann', null::uuid, 'user', office.now()), ('ann', %L, 'task_assigned', office.now()) $$, pg_temp.task_id(:'task')
  ),
  'Q1: what is asked for and not dispatched yet'
);
select set_eq(
  $$ select reason from office.up_next where workspace = 'undispatched' $$, array['user', 'task_assigned'], 'S5: up_next shows it'
);
select pg_temp.look();
select is_empty('select from office.undispatched()', 'Q8: after the dispatch nothing of it is left');
select is(
  (select r.status || ' ' || r.result from office.result(:'w') as r), 'claimed queued', 'Q10: a wakeup that made its run, which waits'
);

-- Cancelled unseen: why says it, and result does not claim its run's success.
select pg_temp.scenario('unseen', 'ann');
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select pg_temp.wake('ann') as w2 \gset
select pg_temp.look();
select office.stop('r' || (pg_temp.run(:'w1')).number, 'wrong agent');
select pg_temp.finish(:'w1');
select is(
  (select count(*)::integer from office.why(:'w2') as y where y.detail like 'user (merged, 2 of 2; not shown), cancelled: stopped%'), 1,
  'I9, Q5: an unseen wakeup that was cancelled says why'
);
select is(
  (select y.detail from office.why(:'w2') as y where y.event = 'run stopped'), 'wrong agent', 'I9, P2: a stop is told with its reason'
);
select is(
  (select concat_ws(' ', r.status, r.outcome, r.result) from office.result(:'w2') as r), 'cancelled stopped', 'Q10: its own result'
);

-- What is not there
select is((pg_temp.refusal(s.statement)).state, 'PT404', 'Q10, I9: refused: ' || s.statement)
from (values
  ($$ select office.why('r99999') $$), ($$ select office.why('t99999') $$),
  ($$ select office.result('r99999') $$), ($$ select office.result(office.uuid7()::text) $$)
) as s (statement);

select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
