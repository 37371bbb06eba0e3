-- office.cron_next: when a cron expression fires next after an instant (R3 to R5), for every client the same. Refuses what is no
-- expression or no zone (bad_cron, bad_timezone), an expression that never fires there (bad_cron, R6), and an instant outside the
-- years 1 to 9998 (invalid).
create or replace function office.cron_next(expression text, timezone text default 'UTC', after timestamptz default null)
returns timestamptz
language plpgsql stable security definer parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_cron office_internal.cron := office_internal.parse_cron(expression);
  v_zone text := office_internal.cron_zone(timezone);
  v_after timestamptz := coalesce(after, office.now());
  v_fire timestamptz;
begin
  if v_after < timestamptz '0001-01-01 00:00+00' or v_after >= timestamptz '9999-01-01 00:00+00' then
    perform office_internal.refuse(
      'invalid', 'Cron fires in the years 1 to 9998 only.', 'Give a time in these.', jsonb_build_object('field', 'after')
    );
  end if;
  v_fire := office_internal.next_fire(v_cron, v_zone, v_after);
  if v_fire is null and office_internal.next_fire(v_cron, 'UTC', v_after) is null then
    perform office_internal.refuse_cron(
      'day of month', expression, format('"%s" never fires: none of its months has such a day.', left(expression, 60)),
      'February has 29 days at most; April, June, September and November have 30.'
    );
  elsif v_fire is null then
    perform office_internal.refuse_cron(
      'hour', expression, format('"%s" never fires in %s: the clocks go forward over it each time.', left(expression, 60), v_zone),
      'Choose a time that the day has when the clocks change.'
    );
  end if;
  return v_fire;
end
$$;

comment on function office.cron_next(text, text, timestamptz) is
'The next fire of a cron expression in a time zone: select office.cron_next(''0 9 * * mon-fri'', ''Europe/Berlin'').';
