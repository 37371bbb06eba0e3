-- office_internal.clock_of: the time of day among the parts of a moment, from midnight; null when there is none or no clock shows it
-- (25:00, 13:00 PM).
create or replace function office_internal.clock_of(parts jsonb)
returns interval
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_clock jsonb := parts -> 'clock';
  v_hour integer := (v_clock ->> 1)::integer;
  v_minute integer := coalesce(v_clock ->> 2, '0')::integer;
  v_second numeric := coalesce(nullif(replace(v_clock ->> 3, ',', '.'), ''), '0')::numeric;
  v_half text := lower(v_clock ->> 4);
begin
  if v_clock is null then
    return case lower(parts -> 'noon' ->> 1) when 'noon' then interval '12 hours' when 'midnight' then interval '0' end;
  end if;
  if v_minute > 59 or v_second >= 60 or v_hour > 23 or (v_half is not null and v_hour not between 1 and 12) then
    return null;
  end if;
  if v_half is not null then
    v_hour := v_hour % 12 + case v_half when 'p' then 12 else 0 end;
  end if;
  return make_interval(hours => v_hour, mins => v_minute, secs => v_second);
end
$$;

comment on function office_internal.clock_of(jsonb) is 'The time of day among the parts of a moment, or null.';
