-- office_internal.field_reset: the latest reset that fields of events tell ("resetsAt": 1787196550, "reset_at": "2026-…Z"), leaving out
-- the paid overage's and those of windows that are not spent.
create or replace function office_internal.field_reset(lines text, at timestamptz, timezone text, out told boolean, out moment timestamptz)
language plpgsql stable
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  select count(*) > 0, max(r.moment)
  into told, moment
  from regexp_matches(
    lines,
    '([^{}]*)["''](?!overage|[\w-]*ratelimit)[\w-]*?resets?(?:[-_]?(?:at|on|time|date|stamp|timestamp|epoch|unix|ms|s|seconds|utc))*["'']\s?:\s?["'']?'
    '((?:19|20|21)[0-9]{2}-[0-9][^"''}\n]{1,40}|[0-9]{9,})([^{}]*)',
    'gi'
  ) as m
  cross join lateral office_internal.read_moment(m[2], at, field_reset.timezone) as r
  where r.told
    and (m[1] || m[3]) !~* '["''](?:used_?percent|percent_?used)["'']\s?:\s?[0-9]{1,2}(?:\.[0-9]+)?(?![0-9])|["'']remaining\w*["'']\s?:\s?["'']?[1-9]';
end
$$;

comment on function office_internal.field_reset(text, timestamptz, text) is 'The reset that fields of events tell.';
