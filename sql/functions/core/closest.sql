-- office_internal.closest: which of the names a person probably meant; null when none is near.
-- Likeness is the share of letter pairs in common (Dice), so that it needs no extension. No name is longer than its first 100
-- letters: what is given may be a megabyte.
create or replace function office_internal.closest(given text, names text[])
returns text
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  with pairs as (
    select n.name, substr(lower(n.name), i, 2) as pair
    from unnest(names) as n (name), generate_series(1, greatest(length(n.name) - 1, 1)) as i
  ),
  wanted as (
    select substr(lower(given), i, 2) as pair from generate_series(1, least(greatest(length(given) - 1, 1), 100)) as i
  ),
  scored as (
    select
      pairs.name,
      2.0 * count(*) filter (where pairs.pair in (select wanted.pair from wanted))
        / (count(*) + (select count(*) from wanted)) as likeness
    from pairs
    group by pairs.name
  )
  select scored.name
  from scored
  where scored.likeness >= 0.4 or (given <> '' and starts_with(lower(scored.name), lower(left(given, 3))))
  order by scored.likeness desc, scored.name
  limit 1
$$;

comment on function office_internal.closest(text, text[]) is 'The name nearest to the given one, or null.';
