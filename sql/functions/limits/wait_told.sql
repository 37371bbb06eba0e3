-- office_internal.wait_told: how long an error says to wait, in seconds: `try again in 1h23m`, `quota will reset after 18h31m10s`,
-- `Refreshes in 6 days`, `Please wait 30 seconds`. The provider's own words come before a command's summary of them ("Suggested retry
-- after"), and the command's next attempt ("Retrying in", "will retry in") says nothing about the limit.
create or replace function office_internal.wait_told(lines text)
returns numeric
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_part constant text := '[0-9]{1,9}(?:[.][0-9]{1,9})?[ -]?' || office_internal.unit_pattern() || '(?![0-9]{1,2}(?![0-9.]|\s?[a-z]))';
  v_lead constant text :=
    '((?:will|''ll|auto|automatically)[ -](?=re?try)|suggested )?'
    '\m(?:(?:try|retry)(?: (?:it|this|your request|the request))?|resets?|resetting|refresh(?:es|ed)?|renews?|renewed|replenish(?:es|ed)?|'
    'available|unlocks?|unlocked|unblocked|lifts?|lifted|restored?|resumes?|resume|come back|check back|back|again|wait|'
    'cool(?:ing)?[ -]?down(?: period)?|time (?:remaining|left)|expires?|clears|cleared)\M'
    '(?: (?:again|time|is|be|only|up|requests?|access|usage|it|you))*[\s:,(~-]*(in|after|for|another)?[\s:(~-]*'
    '(?:(?:about|approximately|approx\.?|around|roughly|another|the next|at least|just|less than|under)\s)?~?';
  v_match text[];
begin
  select m.said into v_match
  from regexp_matches(
    lines,
    v_lead || '([0-9]{1,3}(?::[0-5][0-9]){2}\M|' || v_part || '(?:\s?,?\s?(?:and\s)?' || v_part || ')*|'
    '(?:an?|one|half an) (?:second|minute|hour|day|week)\M)',
    'gi'
  ) with ordinality as m (said, nth)
  where coalesce(m.said[1], 'suggested ') ~* '^suggested '
    and (m.said[2] ~* 'in' or m.said[3] ~ '^[0-9]+(?!:|[0-9])' or (m.said[2] is not null and m.said[3] !~ '^[0-9]'))
  order by m.said[1] is not null, m.nth
  limit 1;
  return case when v_match[3] like '%:%' then extract(epoch from v_match[3]::interval) else office_internal.read_duration(v_match[3]) end;
end
$$;

comment on function office_internal.wait_told(text) is 'Seconds that an error says to wait, or null.';
