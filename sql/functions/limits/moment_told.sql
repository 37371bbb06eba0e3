-- office_internal.moment_told: when an error says that its limit resets: what follows `resets`, `try again at`, `until`, `reset_time:` or
-- `limit reached|` and is a moment; the first that is one counts.
create or replace function office_internal.moment_told(lines text, at timestamptz, timezone text, out told boolean, out moment timestamptz)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_lead constant text :=
    '(?:(?<![a-z])resets?(?:[-_]?(?:at|on|time|date|timestamp))?|resetting|refresh(?:es|ed)?|renews?|renewed|replenish(?:es|ed)?|'
    'unlocks?|unlocked|unblocked|lifts?|lifted|restored|resumes?|(?:ends|expires|clears)(?=\s(?:at|on))|regain access|'
    'until|till|'
    '(?:try|retry|available|back|again|continue|wait)(?: until)?|'
    '(?:reset|available|retry|blocked)[-_](?:at|until|time)|reached(?=\s?\|))\M';
  v_rest text;
begin
  told := false;
  -- Nobody says it fifty times over.
  for v_rest in
    select left(p.rest, 200)
    from regexp_split_to_table(lines, v_lead, 'i') with ordinality as p (rest, nth)
    where p.nth > 1 and left(p.rest, 80) ~* '[0-9]|noon|midnight'
    order by p.nth
    limit 50
  loop
    select r.told, r.moment into told, moment from office_internal.read_moment(v_rest, at, moment_told.timezone) as r;
    exit when told;
  end loop;
end
$$;

comment on function office_internal.moment_told(text, timestamptz, text) is 'The moment at which an error says that its limit resets.';
