-- office_internal.matching_days: a bit for each day of a month, set where a cron expression names it (R3).
create or replace function office_internal.matching_days(cron office_internal.cron, month date)
returns bit varying
language sql immutable parallel safe
return substring(
  case
    when get_bit((cron).months, date_part('month', month)::integer - 1) = 0 then 0::bit(31)
    when (cron).either_day then (cron).days | substring((cron).weekdays from date_part('dow', month)::integer + 1 for 31)
    else (cron).days & substring((cron).weekdays from date_part('dow', month)::integer + 1 for 31)
  end
  for (month + interval '1 month')::date - month
);

comment on function office_internal.matching_days(office_internal.cron, date) is 'Days of a month that a cron expression names, as bits.';
