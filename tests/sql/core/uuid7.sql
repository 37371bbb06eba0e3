-- A7, I7: ids are uuids of version 7, in order of time; the clocks are two and no more.
begin;
set local search_path = tap, public;
select plan(8);

create temporary table made as select n, office.uuid7() as id from generate_series(1, 1000) as n;
select is((select count(distinct id) from made), 1000::bigint, 'A7: ids are distinct');
select is_empty($$ select id from made where id::text !~ '^.{8}-.{4}-7.{3}-[89ab].{3}-.{12}$' $$, 'A7: of version 7 and the right variant');
select is_empty(
  $$
    select id from made
    where abs(('x' || lpad(replace(left(id::text, 13), '-', ''), 16, '0'))::bit(64)::bigint - extract(epoch from clock_timestamp()) * 1000) > 60000
  $$,
  'A7: they begin with the milliseconds of now'
);
select is_empty(
  $$ select a.n from made as a join made as b on b.n = a.n + 1 where left(a.id::text, 13) > left(b.id::text, 13) $$, 'A7: later ones are not before earlier ones'
);
select is(office.now(), pg_catalog.now(), 'I7: office.now is the transaction''s time');
select is(office_internal.wall_clock() >= office.now(), true, 'I7: the wall clock goes on');
select is_empty(
  $$
    select p.oid::regprocedure
    from pg_proc as p
    where p.pronamespace in ('office'::regnamespace, 'office_internal'::regnamespace)
      and p.proname not in ('now', 'wall_clock', 'uuid7')
      -- They tell one statement from the next by its time.
      and p.proname not in ('note_gates', 'is_by_hand')
      and p.prosrc ~* '(pg_catalog\.now\(|clock_timestamp|current_timestamp|statement_timestamp|localtimestamp|[^._a-z]now\(\))'
  $$,
  'I7: no other function reads a clock'
);
select is_empty(
  $$
    select d.adrelid::regclass, pg_get_expr(d.adbin, d.adrelid)
    from pg_attrdef as d
    join pg_class as c on c.oid = d.adrelid and c.relnamespace in ('office'::regnamespace, 'office_internal'::regnamespace)
    where pg_get_expr(d.adbin, d.adrelid) ~* '(^|[^.])(now\(|current_timestamp|clock_timestamp)'
  $$,
  'I7: nor a column''s default'
);

select * from finish();
rollback;
