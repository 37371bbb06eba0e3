-- S1, S2: slots, and the one run more while a question waits too long. sc-D3.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/deciding.psql
select plan(25);

create function pg_temp.active()
returns integer
language sql
as $$ select office_internal.count_active(w.id) from office.workspaces as w where w.name = current_setting('testing.workspace') $$;

-- N = 2: one waits, one runs, and more want to.
select pg_temp.scenario('overflow', 'ann', 'bob', 'cat', 'dan', 'eve', 'fay');
select office.set_setting('max_concurrent_runs', '2', 'overflow');
select pg_temp.look();
select pg_temp.running('ann') as ann \gset
select pg_temp.running('bob') as bob \gset
select (pg_temp.ask(:'ann')).decision as d \gset
select pg_temp.leave(:'ann');
select pg_temp.wake('cat') as cat \gset
select pg_temp.wake('dan') as dan \gset
select pg_temp.wake('eve') as eve \gset
select pg_temp.wake('fay') as fay \gset
select is(pg_temp.claim(), '', 'S1: a waiting run holds a slot');
select is(
  (select c.next_due_at from office.claim_runs(current_setting('testing.worker')::uuid) as c), office.now() + interval '60 minutes',
  'S2: the claim says when to ask again: once it has waited for 60 minutes'
);
select testing.advance('59 minutes 59 seconds');
select is(pg_temp.claim(), '', 'S2, sc-D3: not before');
select testing.advance('1 second');
select is(pg_temp.claim(), 'cat:user', 'S2, sc-D3: a third run starts');
select is(pg_temp.claim(), '', 'S2, sc-D3: … a fourth does not');
select is((select c.next_due_at from office.claim_runs(current_setting('testing.worker')::uuid) as c), null, 'S2: … and nobody is told to look again for it');
select testing.advance('1 hour');
select is(pg_temp.claim(), '', 'S2, sc-D3: … however long it waits');
select is_empty('select * from office.audit()', 'Q26: the books balance');
select pg_temp.start(:'cat');
select pg_temp.finish(:'cat');
select is(pg_temp.active(), 2, '(two are left)');
select is(pg_temp.claim(), '', 'S2, sc-D3: back at 2: no refill');
-- Under 2, then 2 again, and one more.
select pg_temp.finish(:'bob');
select is(pg_temp.active(), 1, '(one is left)');
select is(pg_temp.claim(1), 'dan:user', 'S2, sc-D3: under 2: an ordinary slot is free');
select is(pg_temp.claim(1), 'eve:user', 'S2, sc-D3: … and the run more is given again');
select is(pg_temp.claim(1), '', 'S2: … once');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- Answered, it goes on on its own slot, whatever was given.
select office.answer(:'d', 'yes');
select is(pg_temp.claim(), 'ann:user', 'S3: the answered run goes on');
select is(pg_temp.active(), 3, 'S3: … on its own slot');
select pg_temp.start(:'ann');
select pg_temp.finish(:'ann');
select is(pg_temp.claim(), '', 'S2: … and once nothing waits there are two slots');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- A permission waits as long as it likes; a setting says how long a question may.
select pg_temp.scenario('permission', 'ann', 'bob');
select office.set_setting('max_concurrent_runs', '1', 'permission');
select office.set_setting('overflow_after_minutes', '5', 'permission');
select pg_temp.look();
select pg_temp.running('ann') as ann \gset
select pg_temp.ask(:'ann');
update office.decisions set kind = 'permission' where run_id = (pg_temp.run(:'ann')).id;
select pg_temp.wake('bob');
select testing.advance('5 minutes');
select is(pg_temp.claim(), '', 'S2: a permission gives no run more');
update office.decisions set kind = 'publish' where run_id = (pg_temp.run(:'ann')).id;
select pg_temp.wake('bob');
select is(pg_temp.claim(), 'bob:user', 'S2: a publishing approval does, after the minutes that are set');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- The setting counts from the moment it is set, also where nothing else happens (S2, J4).
select pg_temp.scenario('shorter', 'ann', 'bob');
select office.set_setting('max_concurrent_runs', '1', 'shorter');
select pg_temp.look();
select pg_temp.running('ann') as ann \gset
select pg_temp.ask(:'ann');
select pg_temp.wake('bob');
select testing.advance('10 minutes');
select is(pg_temp.claim(), '', 'S2: a question has waited for 10 of 60 minutes');
select office.set_setting('overflow_after_minutes', '5', 'shorter');
select is(pg_temp.claim(), 'bob:user', 'S2, J4: … which is long enough once the setting says 5');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
