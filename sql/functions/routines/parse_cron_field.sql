-- office_internal.parse_cron_field: one field of a cron expression as bits, the first bit for its least value (R3). Names stand
-- for the values from the least on. Refuses (bad_cron) what the field cannot be, and says why (R6).
create or replace function office_internal.parse_cron_field(
  field text,
  given text,
  least_value integer,
  greatest_value integer,
  names text[] default '{}'
)
returns bit varying
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_width integer := greatest_value - least_value + 1;
  v_bits bit varying := repeat('0', v_width)::bit varying;
  v_item text;
  v_parts text[];
  v_from integer;
  v_to integer;
  v_step integer;
begin
  foreach v_item in array string_to_array(given, ',') loop
    -- A star, a value or a range; then perhaps a step.
    v_parts := regexp_match(v_item, '^(?:\*|([0-9a-z]+)(?:-([0-9a-z]+))?)(?:/0*([0-9]{1,4})[0-9]*)?$');
    if v_parts is null then
      perform office_internal.refuse_cron(
        field, v_item, format('The %s of a cron expression cannot be "%s".', field, left(v_item, 60)),
        'Use *, values, ranges as 1-5, steps as */15 or 0-30/10, and lists of these with commas. L, W, # and ? are not known.'
      );
    end if;
    v_from := least_value;
    v_to := greatest_value;
    if v_parts[1] is not null then
      v_from := office_internal.cron_value(field, v_parts[1], least_value, greatest_value, names);
      v_to := v_from;
    end if;
    if v_parts[2] is not null then
      v_to := office_internal.cron_value(field, v_parts[2], least_value, greatest_value, names);
    end if;
    -- Of a longer number the first four digits, which step over every range as well.
    v_step := coalesce(v_parts[3], '1')::integer;

    if v_step = 0 then
      perform office_internal.refuse_cron(
        field, v_item, format('The step of the %s, "%s", is 0.', field, left(v_item, 60)), 'A step is 1 or more.'
      );
    elsif v_parts[1] is not null and v_parts[2] is null and v_parts[3] is not null then
      perform office_internal.refuse_cron(
        field, v_item, format('The step of the %s, "%s", belongs to no range.', field, left(v_item, 60)),
        format('Write %s-%s/%s.', v_from, greatest_value, v_step)
      );
    elsif v_from > v_to then
      perform office_internal.refuse_cron(
        field, v_item, format('The range of the %s, "%s", runs backwards.', field, left(v_item, 60)),
        format('Write %s-%s,%s-%s.', v_from, greatest_value, least_value, v_to)
      );
    end if;
    v_bits := v_bits | rpad(
      repeat('0', v_from - least_value)
        || left(repeat(rpad('1', v_step, '0'), (v_to - v_from) / v_step + 1), v_to - v_from + 1),
      v_width, '0'
    )::bit varying;
  end loop;
  return v_bits;
end
$$;

comment on function office_internal.parse_cron_field(text, text, integer, integer, text[]) is 'A cron field as bits.';
