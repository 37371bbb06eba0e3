-- office_internal.period_start: the first UTC day of a budget's period at a moment; 1970-01-01 for what has only one (B1).
create or replace function office_internal.period_start(period text, at timestamptz)
returns date
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return case when period = 'total' then '1970-01-01' else date_trunc(period, period_start.at at time zone 'UTC')::date end;
end
$$;

comment on function office_internal.period_start(text, timestamptz) is 'First UTC day of a budget''s period.';

-- office_internal.period_end: when the period that began on that day ends; null: never.
create or replace function office_internal.period_end(period text, start date)
returns timestamptz
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return case when period <> 'total' then (period_end.start + ('1 ' || period)::interval) at time zone 'UTC' end;
end
$$;

comment on function office_internal.period_end(text, date) is 'When a budget''s period ends.';
