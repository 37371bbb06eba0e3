-- office_internal.zone_of: the zone that a message or a workspace names, in words that Postgres reads the same way: IANA names,
-- offsets (UTC+2, +05:30, Z), abbreviations that mean one offset wherever they are used, North America's bare names. Null when
-- unknown or ambiguous (IST, CST in China): a reset time is never guessed. Postgres alone would take any letters with an offset
-- for a POSIX rule, whose sign is the other way round.
create or replace function office_internal.zone_of(word text)
returns text
language plpgsql stable parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_word text := regexp_replace(trim(word), ' time$', '', 'i');
  v_offset text[] := regexp_match(v_word, '^(?:UTC|GMT)? ?([+-])([0-9]{1,2}):?([0-9]{2})?$', 'i');
  v_known text := (
    select z.zone
    from (values
      ('UTC', 'UTC'), ('GMT', 'UTC'), ('Z', 'UTC'), ('UT', 'UTC'), ('UCT', 'UTC'), ('ZULU', 'UTC'),
      ('PT', 'America/Los_Angeles'), ('PACIFIC', 'America/Los_Angeles'), ('MT', 'America/Denver'), ('MOUNTAIN', 'America/Denver'),
      ('CT', 'America/Chicago'), ('CENTRAL', 'America/Chicago'), ('ET', 'America/New_York'), ('EASTERN', 'America/New_York'),
      ('EST', '-5'), ('EDT', '-4'), ('CST', '-6'), ('CDT', '-5'), ('MST', '-7'), ('MDT', '-6'), ('PST', '-8'), ('PDT', '-7'),
      ('AKST', '-9'), ('AKDT', '-8'), ('HST', '-10'), ('WET', '0'), ('WEST', '1'), ('CET', '1'), ('CEST', '2'), ('EET', '2'),
      ('EEST', '3'), ('MSK', '3'), ('PKT', '5'), ('WIB', '7'), ('HKT', '8'), ('SGT', '8'), ('AWST', '8'), ('JST', '9'), ('KST', '9'),
      ('AEST', '10'), ('AEDT', '11'), ('NZST', '12'), ('NZDT', '13'), ('SAST', '2'), ('BRT', '-3')
    ) as z (name, zone)
    where z.name = upper(regexp_replace(v_word, ' (?:standard|daylight)$', '', 'i'))
  );
begin
  if v_known ~ '^-?[0-9]' then
    v_offset := array[case when v_known like '-%' then '-' else '+' end, ltrim(v_known, '-'), null];
    v_known := null;
  end if;
  if v_offset is not null then
    if v_offset[2]::integer > 14 or coalesce(v_offset[3]::integer, 0) > 59 then
      return null;
    end if;
    -- A POSIX rule counts to the west.
    return format(
      '<%1$s%2$s%4$s>%3$s%2$s:%4$s',
      v_offset[1], lpad(v_offset[2], 2, '0'), case v_offset[1] when '+' then '-' else '+' end, coalesce(v_offset[3], '00')
    );
  end if;
  if v_known is not null then
    return v_known;
  end if;
  -- With a slash and without digits it can be nothing but a name; only the rest must be looked up in the whole list.
  if v_word ~* '^[a-z]+(?:[_-][a-z]+)*(?:/[a-z]+(?:[_-][a-z]+)*)+$' then
    perform timezone(v_word, office.now());
    return v_word;
  end if;
  return (
    select z.name
    from pg_timezone_names as z
    where lower(z.name) = lower(replace(v_word, ' ', '_')) and lower(z.name) not in ('factory', 'localtime', 'posixrules')
    limit 1
  );
exception
  when invalid_parameter_value then
    return null;
end
$$;

comment on function office_internal.zone_of(text) is 'The zone that a word names, as Postgres knows it, or null.';
