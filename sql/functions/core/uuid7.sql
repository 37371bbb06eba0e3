-- office.uuid7: a time-ordered id (A7). Postgres 18 has its own; before it, 48 bits of milliseconds are laid over a
-- random uuid, then the version and the part of the millisecond, as 18 does, so that ids made one after the other are in order.
-- The id's time is no clock of any rule, so it is read directly.
do $deploy$
begin
  if current_setting('server_version_num')::integer >= 180000 then
    create or replace function office.uuid7()
    returns uuid
    language sql volatile parallel safe
    return pg_catalog.uuidv7();
  else
    create or replace function office.uuid7()
    returns uuid
    language sql volatile parallel safe
    return (
      select
        pg_catalog.encode(
          pg_catalog.overlay(
            pg_catalog.uuid_send(pg_catalog.gen_random_uuid()),
            pg_catalog.substring(pg_catalog.int8send(t.us / 1000), 3)
            || pg_catalog.int2send((28672 + (t.us % 1000) * 4096 / 1000)::smallint),
            1, 8
          ),
          'hex'
        )::uuid
      from (select (extract(epoch from pg_catalog.clock_timestamp()) * 1000000)::bigint as us) as t
    );
  end if;
end
$deploy$;

comment on function office.uuid7() is 'A new id, time-ordered (uuid version 7).';
