-- office_internal.retry_after: what a Retry-After header or field says: seconds, another unit (retry-after-ms, "5m"), or a date.
-- The finest is taken where a message has it twice. A negative or grouped number says nothing that can be used.
create or replace function office_internal.retry_after(lines text, at timestamptz, out told boolean, out moment timestamptz)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_field constant text :=
    '(?<![a-z])retry[-_ ]?after[-_ ]?(ms|millis|milliseconds|s|secs?|seconds)?(?:["'']?\s?[:=][\s"''\[(]*|(?<=-after) )'
    '(-?[0-9][^"''\n;}\]]{0,60}|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s[^"''\n;}\]]{1,60})';
  v_unit text;
  v_value text;
  v_number text;
  v_seconds numeric;
begin
  select m.said[1], m.said[2]
  into v_unit, v_value
  from regexp_matches(lines, v_field, 'gi') with ordinality as m (said, nth)
  order by m.said[1] ~* '^m' is true desc, m.nth
  limit 1;
  told := v_value is not null;
  if v_value ~ '^-|^[0-9]{1,3}(?:,[0-9]{3})+' then
    return;
  end if;
  v_number := substring(v_value from '^([0-9]+(?:\.[0-9]+)?)(?![0-9:/-])');
  if v_unit is not null then
    v_seconds := office_internal.read_duration(v_number || v_unit);
  else
    v_seconds := coalesce(office_internal.read_duration(v_value), v_number::numeric);
  end if;
  if v_seconds is not null then
    moment := at + least(v_seconds, 1e9) * interval '1 second';
  else
    select r.moment into moment from office_internal.read_moment(v_value, at, 'UTC') as r;
  end if;
end
$$;

comment on function office_internal.retry_after(text, timestamptz) is 'When Retry-After says that it may be tried again.';
