-- office.wake_agent: rows of one's own tables wake (Q28). sc-W26
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(27);

select pg_temp.scenario('shop', 'triage');
create schema shop;
create table shop.tickets (id integer primary key, subject text, body jsonb);
create trigger wake_triage after insert on shop.tickets for each row execute function office.wake_agent('triage', 'shop');

-- One row: one wake, with the row as its context.
insert into shop.tickets values (7, 'no light', '{"floor": 3}');
select results_eq(
  $$ select w.idempotency_key, w.source, w.payload -> 'context', w.status from office.wakeups as w $$,
  $$ values ('shop.tickets:7' collate "C", 'user', '{"id": 7, "subject": "no light", "body": {"floor": 3}}'::jsonb, 'queued') $$,
  'Q28: the key is table and primary key, the row the context'
);
select is((select w.payload ->> 'user_id' from office.wakeups as w), office_internal.caller()::text, 'Q28, I6: who inserts is who asks');
select is(pg_temp.claim(), 'triage:user', 'Q28: it is launched');
select matches(
  (select p.assembled_prompt from office.attempt_prompts as p), 'no light', 'Q28: … and told of the row'
);
select office.finish_attempt(a.id) from office.attempts as a where a.ended_at is null;
update shop.tickets set subject = 'light' where id = 7;
select is((select count(*) from office.wakeups), 1::bigint, 'Q28: an update wakes nobody');
delete from shop.tickets;
insert into shop.tickets values (7, 'again', null);
select is((select count(*) from office.wakeups), 1::bigint, 'Q3: one row wakes once, for as long as the key lives');

-- sc-W26: a thousand at once; rolled back: nothing.
savepoint before;
insert into shop.tickets select n, 'many' from generate_series(1001, 2000) as n;
select is((select count(distinct w.idempotency_key) from office.wakeups as w where w.status = 'queued'), 1000::bigint, 'Q28, sc-W26: 1,000 rows, 1,000 keys');
select pg_temp.look() as first \gset
select pg_temp.look() as second \gset
select pg_temp.look() as third \gset
select is(
  pg_temp.runs(), 'triage:user:event:finished/succeeded:1, triage:user:event:queued:1000', 'Q28, sc-W26: merged by scope: one run'
);
select is_empty('select * from office.audit()', 'Q26: the books are right');
rollback to savepoint before;
select is((select count(*) from office.wakeups) + (select count(*) from office_internal.signals where kind = 'wakeup'), 1::bigint, 'Q28, sc-W26: rolled back, nothing');

-- Keys: composite, long, odd names, partitions.
create table shop."Order lines" (part text, line integer, what text, primary key (line, part));
create trigger wake_triage after insert on shop."Order lines" for each row execute function office.wake_agent('triage', 'shop');
insert into shop."Order lines" values ('a, 1', 2, 'x'), ('a', 1, 'x');
select results_eq(
  $$ select w.idempotency_key collate "default" from office.wakeups as w where w.idempotency_key like 'shop."O%' order by 1 $$,
  $$ values ('shop."Order lines":[1, "a"]'), ('shop."Order lines":[2, "a, 1"]') $$, 'Q28: a composite key, in the order of the primary key'
);
create table shop.pages (address text primary key);
create trigger wake_triage after insert on shop.pages for each row execute function office.wake_agent('triage', 'shop');
insert into shop.pages values (repeat('x', 2000)), (repeat('x', 1999) || 'y');
select is(
  (select count(distinct w.idempotency_key) from office.wakeups as w where w.idempotency_key ~ '^shop\.pages:sha256:[0-9a-f]{64}$'), 2::bigint,
  'Q28: a long key is told by its hash'
);
create table shop.parts (id integer primary key, kept boolean default true) partition by range (id);
create table shop.parts_1 partition of shop.parts for values from (0) to (10);
create table shop.parts_2 partition of shop.parts for values from (10) to (20);
create trigger wake_triage after insert on shop.parts for each row execute function office.wake_agent('triage', 'shop');
insert into shop.parts values (1), (11);
update shop.parts set id = 12 where id = 1;
select results_eq(
  $$ select w.idempotency_key collate "default" from office.wakeups as w where w.idempotency_key like 'shop.parts%' order by 1 $$,
  $$ values ('shop.parts:1'), ('shop.parts:11'), ('shop.parts:12') $$, 'Q28: a partition''s rows have the keys of their table'
);
insert into shop.pages values ('seen') on conflict do nothing;
select is((select count(*) from office.wakeups as w where w.idempotency_key = 'shop.pages:seen'), 1::bigint, 'Q28: taken once');
insert into shop.pages values ('seen') on conflict do nothing;
select is((select count(*) from office.wakeups as w where w.idempotency_key = 'shop.pages:seen'), 1::bigint, 'Q28: a row that was not inserted wakes nobody');

-- What it refuses; then the insert fails, and nothing is written.
create table shop.keyless (what text);
create table shop.other (id integer primary key);
create function pg_temp.with_trigger(events text, arguments text, relation text default 'other')
returns pg_temp.refusal
language plpgsql
as $$
declare
  v_said pg_temp.refusal;
begin
  execute format('create trigger odd %s execute function office.wake_agent(%s)', replace(events, 'TABLE', 'shop.' || relation), arguments);
  v_said := pg_temp.refusal(format('insert into shop.%s values (%L)', relation, '1'));
  execute format('drop trigger odd on shop.%s', relation);
  return v_said;
end
$$;
select is((pg_temp.with_trigger('after insert on TABLE for each row', '''triage'', ''shop''', 'keyless')).message,
  'Table shop.keyless has no primary key: its rows cannot be told apart.', 'Q28: no primary key');
select is((pg_temp.with_trigger('after insert on TABLE for each row', '''triage'', ''shop''', 'keyless')).state, 'PT422', 'Q28: … is refused');
select is((pg_temp.with_trigger('before insert on TABLE for each row', '''triage'', ''shop''')).state, 'PT422', 'Q28: before: the row is not there yet');
select is((pg_temp.with_trigger('after insert on TABLE for each statement', '''triage'', ''shop''')).state, 'PT422', 'Q28: for each statement: there is no row');
select is((pg_temp.with_trigger('after insert on TABLE for each row', '')).state, 'PT422', 'Q28: whom to wake is to be said');
select is((pg_temp.with_trigger('after insert on TABLE for each row', '''a'', ''b'', ''c''')).state, 'PT422', 'Q28: nothing else is');
select is((pg_temp.with_trigger('after insert on TABLE for each row', '''nobody'', ''shop''')).state, 'PT404', 'Q28: an agent that is not there');
select is((pg_temp.with_trigger('after insert on TABLE for each row', '''triage'', ''nowhere''')).state, 'PT404', 'Q28: nor the workspace');
select is((select count(*) from shop.other) + (select count(*) from shop.keyless), 0::bigint, 'Q28: a row whose wake is refused is not inserted');

-- Rights: making the trigger takes EXECUTE; inserting takes an identity, and no right on the office.
create role app_owner login;
create role app_login login;
grant usage, create on schema shop to app_owner;
grant usage on schema shop to app_login;
set local session authorization app_owner;
create table shop.calls (id integer primary key);
grant insert on shop.calls to app_login;
select is(
  (pg_temp.refusal('create trigger t after insert on shop.calls for each row execute function office.wake_agent(''triage'')')).state, '42501',
  'Q28: the owner of the table needs EXECUTE on the function'
);
reset session authorization;
grant usage on schema office to app_owner;
grant execute on function office.wake_agent() to app_owner;
set local session authorization app_owner;
create trigger t after insert on shop.calls for each row execute function office.wake_agent('triage', 'shop');
set local session authorization app_login;
select is(
  (pg_temp.refusal('insert into shop.calls values (1)')).hint, 'An operator can run: officectl db grant app_login --role client --account NAME',
  'Q28, I6: who is nobody is told what makes him somebody'
);
reset session authorization;
select office.create_account('app', db_role => 'app_login');
select office.add_member('shop', 'app');
set local session authorization app_login;
insert into shop.calls values (1);
reset session authorization;
select is(
  (select a.name from office.wakeups as w join office.accounts as a on a.id = w.account_id where w.idempotency_key = 'shop.calls:1'), 'app',
  'Q28, I6: the login asks, with no right on any function of the office'
);

select * from finish();
rollback;
