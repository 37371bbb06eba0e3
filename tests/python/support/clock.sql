-- A clock for tests: replaces the office's only two clocks (I7) by functions that read one row. For a deployed database;
-- schema "testing" is the tests' own. Installing is part of the caller's transaction: a rollback brings the true clocks back.
create schema testing;
grant usage on schema testing to public;

create table testing.clock (at timestamptz not null);
create unique index on testing.clock ((true));
grant select on testing.clock to public;

create function testing.install_clock(at timestamptz default '2026-01-05 10:00:00+00') returns void
language plpgsql as $$
declare
  v_clock regprocedure;
begin
  insert into testing.clock (at) values (install_clock.at);
  foreach v_clock in array array['office.now()', 'office_internal.wall_clock()']::regprocedure[] loop
    execute format(
      'create or replace function %s returns timestamptz language sql %s parallel %s '
      'return (select clock.at from testing.clock)',
      v_clock,
      (select case provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end
         from pg_catalog.pg_proc where oid = v_clock),
      (select case proparallel when 's' then 'safe' when 'r' then 'restricted' else 'unsafe' end
         from pg_catalog.pg_proc where oid = v_clock)
    );
  end loop;
end
$$;

create function testing.set_clock(at timestamptz) returns void
language sql
begin atomic
  update testing.clock set at = set_clock.at;
end;

create function testing.advance(by interval) returns timestamptz
language sql
begin atomic
  update testing.clock set at = clock.at + advance.by returning clock.at;
end;
