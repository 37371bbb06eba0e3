-- office_internal.read_duration: the length of time at the very start of a text, in seconds: 20.5s, 1h23m, 2 days, 3 hours and 4 min,
-- an hour. Null when there is none. A unit is demanded: a bare number could be anything.
create or replace function office_internal.read_duration(words text)
returns numeric
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_part constant text := '([0-9]{1,9}(?:[.][0-9]{1,9})?)[ -]?(' || office_internal.unit_pattern() || ')';
  v_words text := regexp_replace(left(words, 100), '^half an hour\M', '30 min', 'i');
begin
  v_words := regexp_replace(v_words, '^(?:an?|one) (?=[smhdw])', '1 ', 'i');
  return (
    select sum(
      least(1e9, part[1]::numeric * case
        when part[2] ~* '^(?:ms|mil)' then 0.001
        when part[2] ~* '^s' then 1
        when part[2] ~* '^m' then 60
        when part[2] ~* '^h' then 3600
        when part[2] ~* '^d' then 86400
        else 604800
      end)
    )
    from regexp_matches(substring(v_words from '(?i)^((?:' || v_part || '(?:\s?,?\s?(?:and\s)?)?)+)'), v_part, 'gi') as part
  );
end
$$;

comment on function office_internal.read_duration(text) is 'Seconds of the length of time at the start of a text, or null.';
