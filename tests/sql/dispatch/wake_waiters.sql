-- S4, P7: nobody stays parked for a key that is free: a crowd behind one folder, a holder that never launches, a run that is stopped.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/resources.psql
select plan(9);

select pg_temp.scenario('crowd', 'idle');
select pg_temp.works_in('first', '/c'), pg_temp.works_in('other', '/c/x');
select pg_temp.works_in('n' || n, '/c/' || n % 3) from generate_series(1, 130) as n;
select pg_temp.wake('first') as first \gset
select is(pg_temp.claim(), 'first:user', 'S4: one is at work');
select pg_temp.start(:'first');
create temporary table crowd as select n, pg_temp.wake('n' || n) as wakeup from generate_series(1, 130) as n;
select pg_temp.claim();
select is((select count(*) from office.runs where parked = 'resource'), 130::bigint, 'S4: a crowd waits for it');
select is_empty('select * from office.audit()', 'Q26: the books');
select pg_temp.finish(:'first'), pg_temp.clean(:'first');
select is(
  cardinality(office_internal.wake_waiters(array(select s from office_internal.signals as s where s.kind = 'freed'))), 50, 'Q14: it is looked at by fifties'
);
select is_empty('select * from office.audit()', 'Q26: and the rest has a signal');
select pg_temp.look();
select is((select count(*) from office.runs where parked = 'resource'), 0::bigint, 'P7: nobody waits for what is free');
-- The first to go are stopped before they launch: those behind them go all the same.
select office.stop('r' || r.number)
from office.runs as r
join crowd as c on r.id = (pg_temp.run(c.wakeup)).id
where c.n <= 60;
select is(pg_temp.claim(), 'n61:user, n62:user, n63:user', 'P7: they go, each folder''s first');
select is_empty('select * from office.audit()', 'Q26: the books');
-- The books can tell: a run that waits for nobody.
set local session_replication_role = replica;
delete from office.resources;
delete from office_internal.signals;
set local session_replication_role = origin;
select isnt_empty(
  $$ select from office.audit() where invariant = 'a run parked for a resource has a holder or a signal' $$,
  'K13: the books tell of one that nobody would wake'
);

select * from finish();
rollback;
