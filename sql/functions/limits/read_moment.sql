-- office_internal.read_moment: the moment that a text names at its very start: epoch, ISO and HTTP dates, `Oct 12, 8am (Europe/Paris)`,
-- `3:00 PM on Tuesday`, `tomorrow at 15:00 UTC`, `midnight Pacific time`. A time alone, a weekday's and that of a date without a year
-- mean their next occurrence after at, in the zone that is named, else in the given one; a date alone means its beginning.
-- told says that there is a moment to read; moment is null when it is impossible or ambiguous, its zone is unknown, or it is none of
-- the days that matter, yesterday to the ninth from today.
create or replace function office_internal.read_moment(words text, at timestamptz, zone text, out told boolean, out moment timestamptz)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_parts jsonb := office_internal.moment_parts(words);
  v_epoch jsonb := v_parts -> 'epoch';
  v_date jsonb := v_parts -> 'date';
  v_month_day jsonb := v_parts -> 'month_day';
  v_day_month jsonb := v_parts -> 'day_month';
  v_either_way jsonb := v_parts -> 'either_way';
  v_timed constant boolean := v_parts ?| array['clock', 'noon'];
  v_clock constant interval := case when v_timed then office_internal.clock_of(v_parts) else interval '0' end;
  v_year constant integer := coalesce(
    v_date ->> 1, v_month_day ->> 3, v_day_month ->> 3, '20' || (v_day_month ->> 4), v_either_way ->> 3, v_parts -> 'year' ->> 1
  )::integer;
  v_month_name constant text := lower(left(coalesce(v_month_day ->> 1, v_day_month ->> 2), 3));
  v_month integer := coalesce(v_date ->> 2, v_either_way ->> 1)::integer;
  v_day integer := coalesce(v_date ->> 3, v_month_day ->> 2, v_day_month ->> 1, v_either_way ->> 2)::integer;
  v_weekday constant integer := array_position(array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], lower(v_parts -> 'weekday' ->> 1));
  v_ahead constant integer := case lower(v_parts -> 'ahead' ->> 1) when 'tomorrow' then 1 when 'today' then 0 when 'tonight' then 0 end;
  v_zone text;
  v_today date;
begin
  told := v_epoch is not null or v_timed or v_day is not null;
  if v_epoch is not null then
    moment := to_timestamp(((v_epoch ->> 1) || coalesce('.' || (v_epoch ->> 2), v_epoch ->> 3, ''))::double precision);
    return;
  end if;
  if v_month_name is not null then
    v_month := array_position(array['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'], v_month_name);
  elsif v_either_way is not null and v_month > 12 then
    v_month := v_day;
    v_day := (v_either_way ->> 1)::integer;
  elsif v_either_way is not null and v_day <= 12 and v_day <> v_month then
    return;
  end if;
  if told and v_clock is not null then
    v_zone := office_internal.zone_of(coalesce(v_parts -> 'zone' ->> 1, read_moment.zone));
  end if;
  if v_zone is null then
    return;
  end if;
  v_today := timezone(v_zone, at)::date;
  moment := (
    select min(n.reading)
    from generate_series(-1, 9) as step
    cross join lateral (select v_today + step) as d (day)
    cross join lateral office_internal.next_reading(d.day + v_clock, v_zone, at) as n (reading)
    where case
        when v_day is not null then extract(day from d.day) = v_day and extract(month from d.day) = v_month
          and (v_year is null or extract(year from d.day) = v_year)
        when v_weekday is not null then extract(isodow from d.day) = v_weekday
        when v_ahead is not null then d.day = v_today + v_ahead
        else true
      end
      -- What comes again is not what has just been.
      and (n.reading > at or v_year is not null or v_ahead is not null)
  );
end
$$;

comment on function office_internal.read_moment(text, timestamptz, text) is 'The moment that a text begins with, if any.';
