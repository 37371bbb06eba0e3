-- office_internal.read_moment: the moment that a text names at its very start: epoch, ISO and HTTP dates, `Oct 12, 8am (Europe/Paris)`,
-- `3:00 PM on Tuesday`, `tomorrow at 15:00 UTC`, `midnight Pacific time`. A time alone, a weekday's and that of a date without a year
-- mean their next occurrence after at, in the zone that is named, else in the given one; a date alone means its beginning.
-- told says that there is a moment to read; moment is null when it is impossible or ambiguous, its zone is unknown, or it is so far
-- away that it is none of those days that matter.
create or replace function office_internal.read_moment(words text, at timestamptz, zone text, out told boolean, out moment timestamptz)
language plpgsql stable
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_months constant text[] := '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}';
  v_weekdays constant text[] := '{mon,tue,wed,thu,fri,sat,sun}';
  v_parts jsonb := office_internal.moment_parts(words);
  v_epoch jsonb := v_parts -> 'epoch';
  v_zone text;
  v_clock interval := office_internal.clock_of(v_parts);
  v_year integer;
  v_month integer;
  v_day integer;
  v_weekday integer := array_position(v_weekdays, lower(v_parts -> 'weekday' ->> 1));
  v_ahead integer := case lower(v_parts -> 'ahead' ->> 1) when 'tomorrow' then 1 when 'today' then 0 when 'tonight' then 0 end;
  v_today date;
begin
  told := true;
  if v_epoch is not null then
    moment := to_timestamp(((v_epoch ->> 1) || coalesce('.' || (v_epoch ->> 2), v_epoch ->> 3, ''))::double precision);
    return;
  end if;
  if v_parts ? 'date' then
    v_year := v_parts -> 'date' ->> 1;
    v_month := v_parts -> 'date' ->> 2;
    v_day := v_parts -> 'date' ->> 3;
  elsif v_parts ? 'month_day' then
    v_year := coalesce(v_parts -> 'month_day' ->> 3, v_parts -> 'year' ->> 1);
    v_month := array_position(v_months, lower(left(v_parts -> 'month_day' ->> 1, 3)));
    v_day := v_parts -> 'month_day' ->> 2;
  elsif v_parts ? 'day_month' then
    v_year := coalesce(v_parts -> 'day_month' ->> 3, '20' || (v_parts -> 'day_month' ->> 4), v_parts -> 'year' ->> 1);
    v_month := array_position(v_months, lower(left(v_parts -> 'day_month' ->> 2, 3)));
    v_day := v_parts -> 'day_month' ->> 1;
  elsif v_parts ? 'either_way' then
    v_year := v_parts -> 'either_way' ->> 3;
    v_month := least((v_parts -> 'either_way' ->> 1)::integer, (v_parts -> 'either_way' ->> 2)::integer);
    v_day := greatest((v_parts -> 'either_way' ->> 1)::integer, (v_parts -> 'either_way' ->> 2)::integer);
    if v_day <= 12 and v_day <> v_month then
      return;
    end if;
  elsif not v_parts ?| '{clock,noon}' then
    told := false;
    return;
  end if;
  if not v_parts ?| '{clock,noon}' then
    v_clock := interval '0';
  end if;
  v_zone := office_internal.zone_of(coalesce(v_parts -> 'zone' ->> 1, read_moment.zone));
  if v_zone is null or v_clock is null then
    return;
  end if;
  v_today := timezone(v_zone, at)::date;
  moment := (
    select min(n.reading)
    from generate_series(-1, 9) as ahead
    cross join lateral (select v_today + ahead) as d (day)
    cross join lateral office_internal.next_reading(d.day + v_clock, v_zone, at) as n (reading)
    where case
        when v_day is not null then extract(day from d.day) = v_day and extract(month from d.day) = v_month
          and (v_year is null or extract(year from d.day) = v_year)
        when v_weekday is not null then extract(isodow from d.day) = v_weekday
        when v_ahead is not null then d.day = v_today + v_ahead
        else true
      end
      -- What is said to come again is not what has just been.
      and (n.reading > at or v_year is not null or v_ahead is not null)
  );
end
$$;

comment on function office_internal.read_moment(text, timestamptz, text) is 'The moment that a text begins with, if any.';
