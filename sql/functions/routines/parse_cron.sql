-- office_internal.parse_cron: a cron expression as bits (R3): five fields, or one of five names for them. Refuses (bad_cron) what
-- is none, with the field (R6). Whether it ever fires depends on the zone: office.cron_next refuses one that does not.
create or replace function office_internal.parse_cron(expression text)
returns office_internal.cron
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_text text := lower(btrim(coalesce(expression, ''), E' \t\r\n') collate "C");
  v_fields text[];
  v_week bit varying;
  v_cron office_internal.cron;
begin
  v_text := case v_text
    when '@hourly' then '0 * * * *'
    when '@daily' then '0 0 * * *'
    when '@weekly' then '0 0 * * 0'
    when '@monthly' then '0 0 1 * *'
    when '@yearly' then '0 0 1 1 *'
    else v_text
  end;
  v_fields := regexp_split_to_array(v_text, '[ \t\r\n]+');
  if cardinality(v_fields) <> 5 or v_text ~ '^(cron_)?tz=' then
    perform office_internal.refuse_cron(
      'expression', expression,
      case
        when v_text = '' then 'The cron expression is empty.'
        when v_text ~ '^@' then format('Cron knows no "%s".', left(v_text, 60))
        when v_text ~ '^(cron_)?tz=' then 'A cron expression does not name its time zone.'
        else format('A cron expression has five fields, not %s.', cardinality(v_fields))
      end,
      case
        when v_text ~ '^@' then 'Use @hourly, @daily, @weekly, @monthly, @yearly, or five fields.'
        when v_text ~ '^(cron_)?tz=' then 'Leave it out, and give it as the time zone.'
        else 'The fields are minute, hour, day of month, month, day of week, as in "30 9 * * mon-fri".'
      end
    );
  end if;

  v_cron.minutes := office_internal.parse_cron_field('minute', v_fields[1], 0, 59);
  v_cron.hours := office_internal.parse_cron_field('hour', v_fields[2], 0, 23);
  v_cron.days := office_internal.parse_cron_field('day of month', v_fields[3], 1, 31);
  v_cron.months := office_internal.parse_cron_field(
    'month', v_fields[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}'
  );
  v_week := office_internal.parse_cron_field('day of week', v_fields[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}');
  -- 7 is Sunday too.
  v_week := substring(v_week for 7) | (substring(v_week from 8) || B'000000');
  v_cron.weekdays := v_week || v_week || v_week || v_week || v_week || v_week;
  v_cron.either_day := not (starts_with(v_fields[3], '*') or starts_with(v_fields[5], '*'));
  return v_cron;
end
$$;

comment on function office_internal.parse_cron(text) is 'A cron expression as bits, or the refusal that names the field.';
