-- office_internal.wait_field: how long a field says to wait, in seconds: "retryDelay": "34s", retry_delay { seconds: 34 },
-- "quotaResetDelay": "1h49m8s", "resets_in_seconds": 173470. The unit is in the value or in the name; a bare number could be anything,
-- and retry_delay_ms is a command's own next attempt.
create or replace function office_internal.wait_field(lines text)
returns numeric
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_value constant text :=
    '["'']?\s?[:=]\s?["'']?([0-9]{1,9}(?:[.][0-9]{1,9})?(?: ?[a-z]{1,12}(?: ?[0-9.]{1,12} ?[a-z]{1,12})*)?)(?![0-9:/-])';
  v_match text[];
begin
  v_match := regexp_match(
    lines,
    '(?:retry|reset)[-_ ]?delay["'']?\s?:?\s?\{\s*["'']?seconds["'']?:\s?["'']?([0-9]{1,9})'
    '(?:["'']?,?\s*["'']?nanos["'']?:\s?([0-9]{1,9}))?',
    'i'
  );
  if v_match is not null then
    return v_match[1]::numeric + coalesce(v_match[2], '0')::numeric / 1e9;
  end if;
  return (
    select f.seconds
    from regexp_matches(
      lines,
      '(?:(?:retry|reset)[-_]?delay|(?:resets?|retry|wait|available|refresh)[-_]?(?:in|after|for)?'
      '[-_]?(ms|millis|milliseconds|s|secs?|seconds|minutes|hours)?)' || v_value,
      'gi'
    ) with ordinality as m (said, nth)
    cross join lateral (select office_internal.read_duration(m.said[2] || coalesce(m.said[1], ''))) as f (seconds)
    where f.seconds is not null
    order by m.nth
    limit 1
  );
end
$$;

comment on function office_internal.wait_field(text) is 'Seconds that a field says to wait, or null.';
