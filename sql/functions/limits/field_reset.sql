-- office_internal.field_reset: the latest reset that fields of events tell ("resetsAt": 1787196550, "reset_at": "2026-…Z"), leaving out
-- the paid overage's and those of windows that are not spent.
create or replace function office_internal.field_reset(lines text, at timestamptz, timezone text, out told boolean, out moment timestamptz)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_field constant text :=
    '([^{}]*)["''](?!overage|[\w-]*ratelimit)[\w-]*?resets?(?:[-_]?(?:at|on|time|date|stamp|timestamp|epoch|unix|ms|s|seconds|utc))*["'']'
    '\s?:\s?["'']?((?:19|20|21)[0-9]{2}-[0-9][^"''}\n]{1,40}|[0-9]{9,})([^{}]*)';
  v_open constant text :=
    '["''](?:used_?percent|percent_?used)["'']\s?:\s?[0-9]{1,2}(?:\.[0-9]+)?(?![0-9])|["'']remaining\w*["'']\s?:\s?["'']?[1-9]';
begin
  select count(*) > 0, max(r.moment)
  into told, moment
  from (
    select m.said[2] as value
    from regexp_matches(lines, v_field, 'gi') with ordinality as m (said, nth)
    where (m.said[1] || m.said[3]) !~* v_open
    order by m.nth desc
    limit 20
  ) as f
  cross join lateral office_internal.read_moment(f.value, at, field_reset.timezone) as r
  where r.told;
end
$$;

comment on function office_internal.field_reset(text, timestamptz, text) is 'The reset that fields of events tell.';
