-- R3 to R7: one cron engine for every client. The many cases are in tests/python/cron; here is who may ask it, its parsed form,
-- and a day on which the clocks change.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(18);

select testing.install_clock('2026-01-05 10:00+00');

select is(office.cron_next('30 9 * * mon-fri', 'Europe/Berlin'), timestamptz '2026-01-06 08:30+00', 'R3: after now, unless told otherwise');
select is(office.cron_next('* * * * *'), timestamptz '2026-01-05 10:01+00', 'R3: strictly after');
select is(
  office.cron_next('0 9 * * *', '', '2026-07-01 00:00+00'), timestamptz '2026-07-01 09:00+00', 'R4: an empty zone is UTC'
);
select results_eq(
  $$ select * from office.cron_fires('0 0,1 * * *', 'America/Santiago', '2024-09-07 12:00+00', 3) $$,
  $$ values (timestamptz '2024-09-08 04:00+00'), ('2024-09-09 03:00+00'), ('2024-09-09 04:00+00') $$,
  'R5, R7: a removed midnight is skipped, the rest of the day is kept'
);
select results_eq(
  $$ select * from office.cron_fires('*/30 2 * * *', 'Europe/Berlin', '2024-10-26 12:00+00', 3) $$,
  $$ values (timestamptz '2024-10-27 00:00+00'), ('2024-10-27 00:30+00'), ('2024-10-28 01:00+00') $$,
  'R5: a repeated hour fires once, the first time'
);
select is((select count(*) from office.cron_fires('@daily')), 5::bigint, 'R7: five, unless told otherwise');

-- Refusals.
create function pg_temp.code(statement text) returns text language sql
as $$
  select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r where r.hint <> ''
$$;
select is(pg_temp.code($$ select office.cron_next('60 * * * *') $$), 'PT422 bad_cron minute', 'R6: out of range');
select is(pg_temp.code($$ select office.cron_next('0 0 30 2 *') $$), 'PT422 bad_cron day of month', 'R6: 30 February');
select is(
  pg_temp.code($$ select office.cron_next('30 2 8-14 3 */7', 'America/New_York') $$), 'PT422 bad_cron hour',
  'R6: a time that the clocks leave out each time'
);
select is(pg_temp.code($$ select office.cron_next('0 9 * * *', 'CET') $$), 'PT422 bad_timezone timezone', 'R4: an abbreviation');
select is(
  pg_temp.code($$ select office.cron_next('0 9 * * *', 'Foo/Bar5') $$), 'PT422 bad_timezone timezone',
  'R4: what Postgres would take for a POSIX rule'
);
select isnt(
  (timestamptz '2026-01-01 00:00+00' at time zone 'Foo/Bar5'), timestamp '2026-01-01 00:00', 'R4, K13: and so it does, without an error'
);
select is(office.cron_next('0 0 29 2 *'), timestamptz '2028-02-29 00:00+00', 'R6: 29 February comes');

-- The parsed form, stored.
create temporary table kept as
select office_internal.parse_cron('*/20 8-9 13 * fri') as cron;
select results_eq(
  $$ select (cron).minutes::text, (cron).either_day from kept $$,
  $$ values (repeat('10000000000000000000', 3), true) $$,
  'R7: a bit for each value'
);
select is(
  (select office_internal.next_fire(cron, 'Asia/Tokyo', office.now()) from kept),
  office.cron_next('*/20 8-9 13 * fri', 'Asia/Tokyo'),
  'R7: the stored form fires when the text does'
);

-- Everybody who may see the office may ask; nobody else.
set local role office_reader;
select is(office.cron_next('@yearly'), timestamptz '2027-01-01 00:00+00', 'R3, I5: a reader may ask');
reset role;
select is(
  (select array_agg(r.rolname order by r.rolname)
    from pg_catalog.pg_roles as r
    where r.rolname ~ '^office_' and pg_catalog.has_function_privilege(r.oid, 'office.cron_next(text, text, timestamptz)', 'execute')),
  array['office_client', 'office_operator', 'office_reader']::name[],
  'I5: and clients and operators'
);

select is_empty($$ select * from office.audit() $$, 'nothing is wrong afterwards');

select * from finish();
rollback;
