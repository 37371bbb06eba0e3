-- An interrupted run that a person dropped (Q10: cancelled, "dropped") left its wakeups claimed for ever, or had those that came after its
-- prompt carried on by a run that nobody wanted any more.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(7);

select pg_temp.scenario('dropped', 'ann');
select pg_temp.wake('ann') as shown \gset
select pg_temp.claim();
select pg_temp.start(:'shown');
-- Too late for the prompt: it joins the run, unseen (Q5).
select pg_temp.wake('ann') as unseen \gset
select pg_temp.look();
update office.runs set status = 'interrupted' where id = (pg_temp.run(:'shown')).id;
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:interrupted:2', 'Q5: an interrupted run keeps what was not seen, for its retry');
update office.runs set status = 'cancelled' where id = (pg_temp.run(:'shown')).id;
select pg_temp.look();
select is(pg_temp.runs(), 'ann:user:event:cancelled/dropped:2', 'Q17: dropped, and no other run carries on');
select is((pg_temp.wakeup(:'shown')).status, 'cancelled', 'Q10: its wakeup ends with it');
select is((pg_temp.wakeup(:'unseen')).status || ' ' || (pg_temp.wakeup(:'unseen')).reason, 'cancelled dropped', 'Q5, Q10: … and the unseen one, with the reason');
select is(pg_temp.claim(), '', 'Q17: nothing is left to claim');

-- Its lane is free: the next wake is a run of its own.
select pg_temp.wake('ann');
select is(pg_temp.claim(), 'ann:user', 'Q17: a new wake runs');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
