-- A6: gates: taken by functions, in order, in READ COMMITTED only; a hand-written statement takes all of them. (Races: tests/python/races.)
begin;
set local search_path = tap, public;
set transaction isolation level repeatable read;
\ir ../support/refusal.psql
select plan(4);

select from office.create_workspace('acme');
create temporary table tried as
select s, x.state, x.detail ->> 'code' as code, x.hint
from unnest(array[
  'office.dispatch()', 'office.dispatch(''acme'')', 'office.stop(''workspace:acme'')', 'office.claim_runs(office.uuid7())', 'office.start_attempt(office.uuid7())',
  'office.finish_attempt(office.uuid7())', 'office.fail_attempt(office.uuid7(), ''x'')', 'office.confirm_cleanup(office.uuid7())'
]) as s
cross join lateral pg_temp.refusal('select * from ' || s) as x;
select is_empty(
  $$ select * from tried where (state, code, hint) is distinct from ('PT409', 'isolation', 'begin isolation level read committed;') $$,
  'A6: gate functions refuse any isolation but READ COMMITTED, and say what to do'
);
select lives_ok($$ select * from office.create_agent('builder', executor => '{"command": ["/bin/true"]}', workspace => 'acme') $$, 'A6: people''s functions work at every level');
select lives_ok($$ select * from office.wake('acme/builder') $$, 'Q1 A6: so does wake');
select lives_ok($$ select office.carry_out() $$, 'A6: and carry_out');

select * from finish();
rollback;
