-- office_internal.next_reading: the next instant after another at which a zone's clocks show a time; of a time that has passed its
-- last instant; null when a forward shift removes it. A time that comes twice means its first instant while that is ahead.
-- `local at time zone z` takes the later reading of a repeated time and moves a removed one forward.
create or replace function office_internal.next_reading(shown timestamp, zone text, after timestamptz)
returns timestamptz
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_last timestamptz := timezone(zone, shown);
  -- As the clocks would show it, had they not been changed in the 24 hours before.
  v_first timestamptz := v_last + (shown - (timezone(zone, v_last - interval '24 hours') + interval '24 hours'));
begin
  if timezone(zone, v_last) <> shown then
    return null;
  end if;
  return case when v_first > after and v_first < v_last and timezone(zone, v_first) = shown then v_first else v_last end;
end
$$;

comment on function office_internal.next_reading(timestamp, text, timestamptz) is 'The next instant that reads so in a zone, or null.';
