-- office.cron_fires: the next fires of a cron expression (R7), as office.cron_next finds one after the other. Refuses what that
-- refuses, and a count outside 1 to 1000 (invalid).
create or replace function office.cron_fires(
  expression text,
  timezone text default 'UTC',
  after timestamptz default null,
  count integer default 5
)
returns setof timestamptz
language plpgsql stable security definer parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_fire timestamptz := office.cron_next(expression, timezone, after);
  v_cron office_internal.cron := office_internal.parse_cron(expression);
  v_zone text := office_internal.cron_zone(timezone);
begin
  if count is null or count not between 1 and 1000 then
    perform office_internal.refuse(
      'invalid', 'The count of fires is 1 to 1000.', 'Ask again from the last one on.', jsonb_build_object('field', 'count')
    );
  end if;
  for v_number in 1..count loop
    return next v_fire;
    v_fire := office_internal.next_fire(v_cron, v_zone, v_fire);
    exit when v_fire is null;
  end loop;
end
$$;

comment on function office.cron_fires(text, text, timestamptz, integer) is
'The next fires of a cron expression in a time zone: select * from office.cron_fires(''0 9 * * mon'', ''Asia/Tokyo'').';
