-- R2, J1, J4, R17: whose routines are off fire in no way, and miss nothing that is caught up later; agents fire none.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/acting.psql
select plan(20);

create function pg_temp.code(statement text) returns text language sql
as $$
  select concat_ws(' ', r.state, r.detail ->> 'code', coalesce(r.detail ->> 'status', r.detail ->> 'field'))
  from pg_temp.refusal(statement) as r
  where r.hint <> ''
$$;
create function pg_temp.tick() returns text language sql
as $$ select format('%s/%s/%s', t.fired, t.failed, t.passed_over) from office.tick() as t $$;
create function pg_temp.stands(routine text) returns text language sql
as $$ select concat_ws(' ', s.status, to_char(s.next_run_at at time zone 'UTC', 'HH24:MI')) from office.routine_schedule as s where s.routine = stands.routine $$;

select pg_temp.scenario('off', 'ann');
select office.create_account('bea');
insert into office.members (workspace_id, account_id, role)
select w.id, a.id, 'member' from office.workspaces as w, office.accounts as a where w.name = 'off' and a.name = 'bea';
select office.create_routine('ours', 'ann', workspace => 'off');
select office.create_routine('hers', 'ann', workspace => 'off');
update office.routines set created_by_account_id = (select a.id from office.accounts as a where a.name = 'bea') where name = 'hers';
select office.add_schedule('ours', '0 * * * *');
select office.add_schedule('hers', '0 * * * *');
select office.add_once('hers', timestamptz '2035-01-01 12:30+00') as once \gset

select is(pg_temp.code($$ select office.set_setting('routines_enabled', 'off', 'off') $$), 'PT422 invalid scope', 'J4: not per workspace');
select is(pg_temp.code($$ select office.set_setting('routines_enabled', 'off', 'account:nobody') $$), 'PT404 not_found', 'J4: an account that is not');
select office.set_setting('routines_enabled', 'off', 'account:bea');
select is(office.get_setting('routines_enabled', 'account:bea'), 'off', 'J4: the account''s');
select is(office.get_setting('routines_enabled'), 'on', 'J4: the caller''s own, unless said');
select is(office.get_setting('routines_enabled', 'office'), 'on', 'J4: the office''s');
select is(pg_temp.stands('ours') || ', ' || pg_temp.stands('hers'), 'active 11:00, off', 'J1: the schedule says whose are off');

select testing.advance('65 minutes');
select is(pg_temp.tick(), '1/0/1', 'J1, R2: hers is passed over, ours fires');
select is(pg_temp.tick(), '0/0/0', 'R2: once');
select is(pg_temp.code($$ select office.fire_routine('hers') $$), 'PT409 routine_inactive off', 'J1, R2: nor by hand');
select public_id as hook from office.add_webhook('hers', 'none') \gset
select is((select f.status || ' ' || (f.answer ->> 'code') from office.fire_webhook(:'hook', '{}', '') as f), '409 routine_inactive', 'J1, R2: nor by webhook');

-- Switched on again after hours in which nobody ticked.
select testing.advance('3 hours');
select office.set_setting('routines_enabled', 'on', 'account:bea');
select is(pg_temp.tick(), '3/0/0', 'R2, R10: what was missed while off is not caught up, what others missed is');
select is(
  (select s.status || to_char(s.next_run_at at time zone 'UTC', ' HH24:MI') from office.routine_schedule as s
    where s.routine = 'hers' and s.kind = 'schedule'), 'active 15:00', 'R2: the next slot'
);
select is((select count(*) from office.routine_triggers as t where t.kind = 'once' and t.enabled), 0::bigint, 'R2: a single time that passed is over');

-- The office's switch, and an account's that is narrower.
select office.set_setting('routines_enabled', 'off', 'office');
select is(pg_temp.stands('ours'), 'off', 'J4: all of the office');
select office.set_setting('routines_enabled', 'on', 'account:bea');
select is(pg_temp.code($$ select office.fire_routine('ours') $$), 'PT409 routine_inactive off', 'J4: ours is off');
select lives_ok($$ select office.fire_routine('hers') $$, 'J4: the narrowest wins');
select testing.advance('65 minutes');
select office.set_setting('routines_enabled', 'off', 'office');
select is(
  (select count(*) from office.routine_triggers as t join office.routines as r on r.id = t.routine_id
    where r.name = 'ours' and t.next_run_at <= office.now()), 1::bigint, 'J4: set to what it is, it changes nothing'
);
delete from office.settings where key = 'routines_enabled' and scope = 'office';
select is(
  (select count(*) from office.routine_triggers as t join office.routines as r on r.id = t.routine_id
    where r.name = 'ours' and t.next_run_at <= office.now()), 0::bigint, 'R2: a DELETE by hand is a switch, too'
);

-- R17: people only.
select pg_temp.claim();
select pg_temp.act((select r.attempt_id from office.runs as r where r.status = 'claimed' limit 1));
select is(pg_temp.code($$ select office.fire_routine('ours') $$), 'PT403 forbidden', 'R17: an agent fires no routine');
select is(pg_temp.code($$ select office.set_setting('routines_enabled', 'off') $$), 'PT403 forbidden', 'J4: nor switches them');
select * from finish();
rollback;
