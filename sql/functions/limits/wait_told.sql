-- office_internal.wait_told: how long an error says to wait, in seconds: `try again in 1h23m`, `quota will reset after 18h31m10s`,
-- `Refreshes in 6 days`, `Please wait 30 seconds`. The provider's own words come before a command's summary of them ("Suggested retry
-- after"), and the command's next attempt ("Retrying in", "will retry in") says nothing about the limit.
create or replace function office_internal.wait_told(lines text)
returns numeric
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_part constant text := '[0-9]{1,9}(?:[.][0-9]{1,9})?[ -]?[a-z]{1,12}';
begin
  return (
    select w.seconds
    from regexp_matches(
      lines,
      '((?:will|''ll|auto|automatically)[ -](?=re?try)|suggested )?'
      '\m(?:try(?: (?:it|this|your request|the request))?|retry(?: (?:it|this|your request|the request))?|resets?|resetting|refresh(?:es|ed)?|renews?|renewed|'
      'replenish(?:es|ed)?|available|unlocks?|unlocked|unblocked|lifts?|lifted|restored?|resumes?|resume|come back|check back|back|again|wait|'
      'cool(?:ing)?[ -]?down(?: period)?|time (?:remaining|left)|expires?|cleared|clears)\M'
      '(?: (?:again|time|is|be|only|up|requests?|access|usage|it|you))*[\s:,(~-]*(in|after|for|another)?[\s:(~-]*'
      '(?:(?:about|approximately|approx\.?|around|roughly|another|the next|at least|just|less than|under)\s)?~?'
      '([0-9]{1,3}(?::[0-9]{2}){2}\M|' || v_part || '(?:\s?,?\s?(?:and\s)?' || v_part || ')*|(?:an?|one|half an) (?:second|minute|hour|day|week)\M)',
      'gi'
    ) with ordinality as m (said, nth)
    cross join lateral (
      select case
        when m.said[2] ~* 'in' and m.said[3] ~ '^[0-9]{1,3}:[0-9]{2}:[0-9]{2}\M'
          then extract(epoch from substring(m.said[3] from '^[0-9]+:[0-5][0-9]:[0-5][0-9]')::interval)
        when m.said[2] is not null or m.said[3] ~ '^[0-9]' then office_internal.read_duration(m.said[3])
      end as seconds
    ) as w
    where w.seconds is not null and coalesce(m.said[1], 'suggested ') ~* '^suggested '
    order by m.said[1] is not null, m.nth
    limit 1
  );
end
$$;

comment on function office_internal.wait_told(text) is 'Seconds that an error says to wait, or null.';
