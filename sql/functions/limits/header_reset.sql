-- office_internal.header_reset: when the windows that rate-limit headers describe open again: the latest reset among the windows with
-- nothing remaining, or among all whose state is not told. A window that still has something is not what was hit. Headers come as
-- x-ratelimit-reset-tokens: 3.5s, anthropic-ratelimit-unified-5h-reset: 1771549200, ratelimit-reset: 60, and as JSON.
create or replace function office_internal.header_reset(lines text, at timestamptz, out told boolean, out moment timestamptz)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_header constant text :=
    '((?:[a-z]+-){0,5}rate-?limit(?:-[a-z0-9]+){1,5})["'']?\s?[:=]\s?["''\[]*([^\s"'',\]}][^"''\n\]},;]{0,40})';
begin
  with headers as (
    select lower(m.said[1]) as name, m.said[2] as value
    from regexp_matches(lines, v_header, 'gi') with ordinality as m (said, nth)
    order by m.nth desc
    limit 50
  ),
  windows as (
    select
      regexp_replace(h.name, '-(?:reset(?:-after)?|remaining|status)(?=-|$)', '') as name,
      max(h.value) filter (where h.name ~ '-reset(?:-|$)') as reset,
      bool_or(h.name ~ '-remaining' and h.value ~ '^0+(?:\.0+)?\M' or h.name ~ '-status$' and h.value ~* '^(?:rejected|exceeded)') as spent,
      bool_or(h.name ~ '-remaining' and h.value ~ '^0*[1-9]' or h.name ~ '-status$' and h.value ~* '^allowed') as free
    from headers as h
    group by 1
  ),
  resets as (
    select
      w.spent is true as spent,
      case
        when w.reset ~ '^[0-9]{1,7}(?:\.[0-9]{1,9})?\s*$' then at + w.reset::numeric * interval '1 second'
        else coalesce(at + office_internal.read_duration(w.reset) * interval '1 second', r.moment)
      end as moment
    from windows as w
    cross join lateral office_internal.read_moment(w.reset, at, 'UTC') as r
    where w.reset is not null and (w.spent is true or w.free is not true)
  )
  select count(*) > 0, coalesce(max(s.moment) filter (where s.spent), max(s.moment))
  into told, moment
  from resets as s;
end
$$;

comment on function office_internal.header_reset(text, timestamptz) is 'When the spent windows of rate-limit headers open again.';
