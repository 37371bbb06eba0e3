-- office_internal.cron_value: one value of a field of a cron expression, a number or a name (R3). Refuses (bad_cron) what is
-- neither, or out of range.
create or replace function office_internal.cron_value(
  field text,
  given text,
  least_value integer,
  greatest_value integer,
  names text[]
)
returns integer
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_value integer := case
    when given ~ '^0*[0-9]{1,2}$' then given::integer
    else array_position(names, given) - 1 + least_value
  end;
begin
  if v_value between least_value and greatest_value then
    return v_value;
  end if;
  perform office_internal.refuse_cron(
    field, given,
    format('The %s of a cron expression is %s to %s, not "%s".', field, least_value, greatest_value, left(given, 60)),
    case when names = '{}' then 'Use numbers, as in 5, 1-5, */15 or 0,30. L and W are not known.'
      else format('Use numbers or %s, as in 1, 1-5 or %s,%s.', array_to_string(names, ' '), names[1], names[4]) end
  );
  return null;
end
$$;

comment on function office_internal.cron_value(text, text, integer, integer, text[]) is 'Value of a number or name in a cron field.';
