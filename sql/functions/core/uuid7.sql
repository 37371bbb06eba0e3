-- office.uuid7: a time-ordered id (A7). Postgres 18 has its own; before it, 48 bits of milliseconds are laid over a
-- random uuid. The id's time is no clock of any rule, so it is read directly.
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
    return pg_catalog.encode(
      pg_catalog.set_bit(
        pg_catalog.set_bit(
          pg_catalog.overlay(
            pg_catalog.uuid_send(pg_catalog.gen_random_uuid()),
            pg_catalog.substring(
              pg_catalog.int8send((extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint), 3
            ),
            1, 6
          ),
          52, 1
        ),
        53, 1
      ),
      'hex'
    )::uuid;
  end if;
end
$deploy$;

comment on function office.uuid7() is 'A new id, time-ordered (uuid version 7).';
