-- office.dispatch() took the signals of a wake and left none behind: the claim, which looks only where a signal or a timer says so
-- (A15), never saw the run that the dispatch had made.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(6);

select pg_temp.scenario('one', 'ann', 'bob');
select pg_temp.claim();
select pg_temp.wake('ann');
select cmp_ok(office.dispatch('one'), '>', 0, 'Q4: the dispatch of one workspace takes the signals');
select is(pg_temp.claim(), 'ann:user', 'A15: … and the claim finds what it has made');

select pg_temp.wake('bob');
select cmp_ok(office.dispatch(), '>', 0, 'Q4: the dispatch of all takes the signals');
select is(pg_temp.claim(), 'bob:user', 'A15: … and the claim finds what it has made');

select pg_temp.claim();
select is(office.dispatch('one'), 0, 'A15: where nothing was taken nothing is left: the ticker does not wake idle workers for ever');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
