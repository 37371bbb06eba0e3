-- office_internal.retry_after: what a Retry-After header or field says: seconds, another unit (retry-after-ms, "5m"), or a date.
-- The finest is taken where a message has it twice.
create or replace function office_internal.retry_after(lines text, at timestamptz, out told boolean, out moment timestamptz)
language plpgsql stable
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  select true, case when v.number then at + v.seconds * interval '1 second' else v.moment end
  into told, moment
  from (
    select
      m.nth, m.said[1] ~* '^m' as fine, m.said[2] ~ '^-|^[0-9.]+(?![0-9:/-])' as number, d.moment,
      case
        when m.said[2] ~ '^[0-9]{1,3}(?:,[0-9]{3})+' or m.said[2] ~ '^-' then null
        when m.said[1] is not null then office_internal.read_duration(substring(m.said[2] from '^[0-9.]+') || m.said[1])
        else coalesce(office_internal.read_duration(m.said[2]), least(substring(m.said[2] from '^([0-9]+(?:\.[0-9]+)?)(?![0-9:/-])')::numeric, 1e9))
      end as seconds
    from regexp_matches(
      lines,
      '(?<![a-z])retry(?:[-_ ]?after)[-_ ]?(ms|millis|milliseconds|s|secs?|seconds)?(?:["'']?\s?[:=][\s"''\[(]*|(?<=-after) )'
      '(-?[0-9][^"''\n;}\]]{0,60}|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s[^"''\n;}\]]{1,60})',
      'gi'
    ) with ordinality as m (said, nth)
    cross join lateral office_internal.read_moment(m.said[2], at, 'UTC') as d
  ) as v
  order by v.fine is true desc, v.nth
  limit 1;
  told := coalesce(told, false);
end
$$;

comment on function office_internal.retry_after(text, timestamptz) is 'When Retry-After says that it may be tried again.';
