-- office_internal.runs_kept, attempts_kept: what something names is not removed, by whatever statement (A8): the hot tables have no
-- foreign keys that would see to it.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
select plan(9);

select pg_temp.scenario('kept', 'ann');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.start(:'w');
select pg_temp.finish(:'w');
select (pg_temp.run(:'w')).id as run, pg_temp.attempt(:'w') as attempt, (pg_temp.run(:'w')).number as number \gset

select is(
  (r).state || ' ' || ((r).detail ->> 'code') || ' ' || (r).message, 'PT409 conflict Wakeups or attempts still name r' || :number || '.',
  'A8: a run stays while wakeups and attempts name it'
)
from pg_temp.refusal(format('delete from office.runs where id = %L', :'run')) as r;
select is(
  (r).state || ' ' || ((r).detail ->> 'attempt'), 'PT409 ' || :'attempt', 'A8: an attempt stays while a prompt names it'
)
from pg_temp.refusal(format('delete from office.attempts where id = %L', :'attempt')) as r;
select isnt_empty(format('select id from office.runs where id = %L', :'run'), 'A8: … nothing was removed');

-- In their order they go
delete from office.wakeups where run_id = :'run';
select is(
  (pg_temp.refusal(format('delete from office.runs where id = %L', :'run'))).state, 'PT409', 'A8: its attempts alone keep it, too'
);
delete from office.attempt_prompts where attempt_id = :'attempt';
select lives_ok(format('delete from office.attempts where id = %L', :'attempt'), 'A8: an attempt that nothing names goes');
select lives_ok(format('delete from office.runs where id = %L', :'run'), 'A8: and so does such a run');
select is(pg_temp.runs(), '', 'A8: it is gone');

-- Statuses are words of a check, the same as the tables of states have
select throws_ok(
  $$ insert into office.runs (workspace_id, agent_id, reason, class, status, requested_at)
    select workspace_id, id, 'user', 'event', 'asleep', now() from office.agents where name = 'ann' limit 1 $$,
  '23514', null, 'Q9: no run has a status that is not one'
);
select results_eq(
  $$ select s.status from office.run_states as s where not exists (
      select from pg_constraint as c where c.conname = 'runs_status' and pg_get_constraintdef(c.oid) like '%''' || s.status || '''%')
    union all
    select s.status from office.wakeup_states as s where not exists (
      select from pg_constraint as c where c.conname = 'wakeups_status' and pg_get_constraintdef(c.oid) like '%''' || s.status || '''%') $$,
  array[]::text[], 'Q9, Q10: the checks know every status'
);
select * from finish();
rollback;
