-- office_internal.rest_of_minute: the first instant of a wall-clock minute whose beginning a forward shift removes; null when it
-- removes all of it (R5). Long ago shifts were of odd seconds, and left a part of a minute.
create or replace function office_internal.rest_of_minute(slot timestamp, zone text)
returns timestamptz
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if timezone(zone, timezone(zone, slot + interval '59 seconds')) <> slot + interval '59 seconds' then
    return null;
  end if;
  return (
    select timezone(zone, min(part.shown))
    from generate_series(slot, slot + interval '59 seconds', interval '1 second') as part (shown)
    where timezone(zone, timezone(zone, part.shown)) = part.shown
  );
end
$$;

comment on function office_internal.rest_of_minute(timestamp, text) is 'When a minute that a shift cuts begins, or null.';
