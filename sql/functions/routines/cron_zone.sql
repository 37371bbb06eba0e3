-- office_internal.cron_zone: the time zone of a trigger, as the server knows it (R4): an IANA name with a slash, or UTC; none
-- means UTC. Refuses (bad_timezone) abbreviations and POSIX rules, which Postgres would take for fixed offsets.
-- Not for parallel workers, which may not catch an error.
create or replace function office_internal.cron_zone(given text)
returns text
language plpgsql stable parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_zone text := coalesce(nullif(trim(given), ''), 'UTC');
  v_nearest text;
begin
  -- No name with a digit but these is in the zone database: any other is a rule. posix/ and right/ are copies beside it.
  if v_zone = 'UTC' or v_zone ~ '^Etc/GMT([+-]?0|-([1-9]|1[0-4])|\+([1-9]|1[0-2]))$' then
    return v_zone;
  elsif v_zone ~ '^[A-Z][A-Za-z_-]*(/[A-Z][A-Za-z_-]*)+$' and v_zone !~* '^(posix|right)/' then
    begin
      perform timezone(v_zone, timestamptz 'epoch');
      return v_zone;
    exception
      when invalid_parameter_value then
        null;
    end;
  end if;

  v_nearest := office_internal.closest(
    left(v_zone, 60), array(select z.name from pg_timezone_names as z where z.name ~ '^[A-Z].*/')
  );
  perform office_internal.refuse(
    'bad_timezone',
    format('No time zone "%s".', left(given, 60)),
    case when v_nearest is null then 'A zone is an IANA name with a slash, as Europe/Berlin, or UTC.'
      else format('A zone is an IANA name with a slash, or UTC. Did you mean %s?', v_nearest) end,
    jsonb_build_object('field', 'timezone', 'value', left(given, 60))
  );
  return null;
end
$$;

comment on function office_internal.cron_zone(text) is 'A trigger''s time zone: an IANA name that the server knows, or UTC.';
