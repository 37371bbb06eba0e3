-- S6: at most so many requests at one provider at once, in all workspaces; freed by every end, and by waiting for a person.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql
\ir ../support/providers.psql
select plan(35);

select pg_temp.spending('one', 'acme:api', null, 'ann', 'amy', 'abe');
select pg_temp.spending('two', 'acme:api', 'm1', 'bob', 'ben');
select pg_temp.scenario('none', 'dan');
select results_eq(
  $$ select * from office.set_provider_limit('acme:api', 2) $$, $$ values ('acme:api', 2, 0) $$, 'S6: an operator limits a provider account'
);

select pg_temp.at('one');
select pg_temp.wake('ann') as ann, pg_temp.wake('amy') as amy, pg_temp.wake('abe') as abe \gset
select pg_temp.at('two');
select pg_temp.wake('bob') as bob, pg_temp.wake('ben') as ben \gset
select pg_temp.at('none');
select pg_temp.wake('dan') as dan \gset
select is(pg_temp.claim_at('one'), 'ann:user, amy:user', 'S6: two go in one workspace');
select is(pg_temp.claim_at('two'), '', 'S6: … and none in another');
select is(pg_temp.claim_at('none'), 'dan:user', 'S6: … of that provider');
select is(
  concat_ws(' ', (pg_temp.run(:'bob')).parked, (pg_temp.run(:'bob')).parked_detail), 'provider Provider acme:api has 2 of 2 requests going',
  'S6: those who wait are out of their lanes'
);
select is(
  pg_temp.waits(:'abe'), 'Provider acme:api has 2 of 2 requests going | select * from office.set_provider_limit(''acme:api'', 3);',
  'S5, S6: … and say why, and what lifts it'
);
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- Every end frees a place, and the first in line has it wherever he is
select pg_temp.start(:'ann'), pg_temp.start(:'amy');
select pg_temp.finish(:'ann');
select is(pg_temp.claim_at('one'), 'abe:user', 'S6: an end frees a place');
select is(pg_temp.claim_at('two'), '', 'S6: … one');
select pg_temp.fail(:'amy');
select pg_temp.claim_at('one');
select is(pg_temp.claim_at('two'), 'bob:user', 'S6: a failure frees one, for another workspace');
select pg_temp.start(:'bob'), pg_temp.start(:'abe');
select pg_temp.claim_at('two');
select office.stop('r' || (pg_temp.run(:'abe')).number);
select is(pg_temp.claim_at('two'), '', 'S6: what is asked to stop still makes requests');
select pg_temp.finish(:'abe');
select pg_temp.claim_at('one');
select is(pg_temp.claim_at('two'), 'ben:user', 'S6: … until it has stopped');
select pg_temp.at('one');
select pg_temp.wake('ann') as ann, pg_temp.wake('abe') as abe \gset
select is(pg_temp.claim(), '', 'S6: full again');
select office.expire_worker(k.id) from office.workers as k join office.runs as r on r.worker_id = k.id where r.id = (pg_temp.run(:'ben')).id;
select pg_temp.claim_at('two');
select is(
  (select count(*)::integer from office.runs as r where r.status in ('claimed', 'running', 'stopping') and r.executor_id = (pg_temp.run(:'bob')).executor_id),
  2, 'S6: a dead worker''s run frees its place, and the first in line has it'
);
select pg_temp.claim_at('one');
select is(office_internal.count_requests('acme:api'), 2, 'S6: … and no more than two go');
update office.runs set status = 'finished' where id = (select r.id from office.runs as r join office.executors as x on x.id = r.executor_id where x.provider = 'acme:api' and r.status in ('claimed', 'running') order by r.number limit 1);
select pg_temp.claim_at('one'), pg_temp.claim_at('two'), pg_temp.claim_at('one');
select is(office_internal.count_requests('acme:api'), 2, 'S6: a hand-written end frees one as well');
select is_empty('select * from office.audit()', 'Q26: the books balance after ends of every kind');

-- Waiting for a person makes no requests

select pg_temp.spending('waits', 'acme:waits', null, 'ann', 'bob');
select office.set_provider_limit('acme:waits', 1);
select pg_temp.wake('ann') as ann, pg_temp.wake('bob') as bob \gset
select is(pg_temp.claim(), 'ann:user', 'S6: one');
select pg_temp.start(:'ann');
select pg_temp.ask(:'ann');
select is(pg_temp.claim(), 'bob:user', 'S6: who waits for a person makes no requests');
select office.answer('d' || d.number, 'yes') from office.decisions as d where d.run_id = (pg_temp.run(:'ann')).id;
select is((select l.excess from office.provider_limits as l where l.provider = 'acme:waits'), 1, 'S6: an answer lets a live program go on over the limit');
select is_empty('select * from office.audit()', 'Q26: … and violates nothing');
update office.runs set status = 'finished' where id = (pg_temp.run(:'ann')).id;
select is((select l.excess from office.provider_limits as l where l.provider = 'acme:waits'), 0, 'S6: … for as long as it runs');

-- Lowered, raised, taken away

select pg_temp.spending('moves', 'acme:moves', null, 'a1', 'a2', 'a3', 'a4');
select pg_temp.wake(n.name) from unnest(array['a1', 'a2', 'a3']) as n (name);
select is(pg_temp.claim(), 'a1:user, a2:user, a3:user', 'S6: without a limit all go');
select is((select l.requests from office.set_provider_limit('acme:moves', 1) as l), 3, 'S6: lowered below what runs');
select is_empty('select * from office.audit()', 'Q26, S6: … it violates nothing');
select pg_temp.wake('a4') as a4 \gset
select office.finish_attempt(r.attempt_id) from office.runs as r join office.agents as a on a.id = r.agent_id where a.name in ('a1', 'a2') and r.status = 'claimed';
select is(pg_temp.claim(), '', 'S6: … and lets nobody go until fewer run');
select office.set_provider_limit('acme:moves', 2);
select is(pg_temp.claim(), 'a4:user', 'S6: raised, who waits goes');
select pg_temp.wake('a1'), pg_temp.wake('a2');
select is(pg_temp.claim(), '', 'S6: … within it');
select is((select l.most is null from office.set_provider_limit('acme:moves', null) as l), true, 'S6: taken away');
select is(pg_temp.claim(), 'a1:user, a2:user', 'S6: … all go');

-- What one agent has queued hides no other's

select pg_temp.spending('crowd', 'acme:crowd', null, 'ann', 'bob');
select office.set_provider_limit('acme:crowd', 1);
select pg_temp.message('ann') as first \gset
select pg_temp.claim();
select pg_temp.message('ann') from generate_series(1, 12);
select pg_temp.wake('bob') as bob \gset
select pg_temp.claim();
select office.set_provider_limit('acme:crowd', 3);
select is(pg_temp.claim(), 'bob:user', 'S6: a busy agent''s many runs do not take another''s place');

-- Refusals

select is((pg_temp.refusal($$ select * from office.set_provider_limit('no spaces', 3) $$)).state, 'PT422', 'S6: a name that no executor could have');
select is((pg_temp.refusal($$ select * from office.set_provider_limit('acme:api', 0) $$)).state, 'PT422', 'S6: no limit of 0');
create role tester_ada login;
grant office_client, office_operator to tester_ada;
select office.create_account('ada', db_role => 'tester_ada');
revoke office_operator from tester_ada;
grant execute on function office.set_provider_limit(text, integer) to tester_ada;
set local session authorization tester_ada;
select is((pg_temp.refusal($$ select * from office.set_provider_limit('acme:api', 5) $$)).state, 'PT403', 'S6: only an operator limits a provider');
reset session authorization;

select pg_temp.claim_at(w.name) from office.workspaces as w where w.name in ('one', 'two', 'waits', 'moves', 'crowd', 'none');
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
