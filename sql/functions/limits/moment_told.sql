-- office_internal.moment_told: when an error says that its limit resets: what follows `resets`, `try again at`, `until`, `reset_time:` or
-- `limit reached|` and is a moment; the first that is one counts.
create or replace function office_internal.moment_told(lines text, at timestamptz, timezone text, out told boolean, out moment timestamptz)
language plpgsql stable
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  select true, r.moment
  into told, moment
  from regexp_split_to_table(
    lines,
    '(?:(?<![a-z])resets?(?:[-_]?(?:at|on|time|date|timestamp))?|resetting|refresh(?:es|ed)?|renews?|renewed|replenish(?:es|ed)?|unlocks?|unlocked|'
    'unblocked|lifts?|lifted|restored|resumes?|(?:ends|expires|clears)(?=\s(?:at|on))|regain access|until|till|(?:try|retry|available|back|again|continue|wait)(?: until)?|'
    '(?:reset|available|retry|blocked)[-_](?:at|until|time)|reached(?=\s?\|))\M',
    'i'
  ) with ordinality as p (rest, nth)
  cross join lateral office_internal.read_moment(p.rest, at, moment_told.timezone) as r
  where r.told and p.nth > 1
  order by p.nth
  limit 1;
  told := coalesce(told, false);
end
$$;

comment on function office_internal.moment_told(text, timestamptz, text) is 'The moment at which an error says that its limit resets.';
