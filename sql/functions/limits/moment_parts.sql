-- office_internal.moment_parts: the parts of a moment that stand at the very start of a text, in any order: {"clock": […], "zone": […]}.
-- Each part is its pattern's match: all that was read first, then the pattern's groups. Words that bind parts are passed over.
create or replace function office_internal.moment_parts(words text)
returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_month constant text :=
    '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|'
    'dec(?:ember)?)\M\.?';
  v_year constant text := '((?:19|20|21)[0-9]{2})(?![0-9:])';
  v_meridiem constant text := '\s?([ap])\.?\s?m\M\.?';
  v_binding constant text :=
    '^(?:[\s,;:=|@"''`()\[\]~-]|(?:at|on|by|is|in|the|again|daily|every day|each day|date|time|approximately|around|about|from|after|'
    'until|till|and|this|for you|your|usage|limit|quota|epoch|unix|timestamp|scheduled|be|available|of)\M)*';
  v_patterns constant text[] := array[
    -- An offset stands right behind the time, or says UTC, or is in brackets.
    ['zone', '(?i)^(\s?[\[(]?\s?((?:utc|gmt)\s?[+-][0-9]{1,2}(?::?[0-9]{2})?|[+-][0-9]{2}:?[0-9]{2}'
      '|utc|gmt|z|[ecmp][sd]t|ces?t|ees?t)\M[\])]?)'],
    ['zone', '^(([+-][0-9]{2})\M)'],
    ['zone', '^(\s?[\[(]\s?([+-][0-9]{1,2})\s?[\])])'],
    ['zone', '^(\s?(?:in )?[\[(]?\s?([A-Za-z]+(?:[_-][A-Za-z]+)*(?:/[A-Za-z0-9_+-]+)+))'],
    ['zone', '(?i)^(\s?[\[(]?((?:pacific|eastern|central|mountain)(?: standard| daylight)?) time\M)'],
    ['zone', '^(\s?(?!Local|Your|Server)([A-Z][a-z]+(?:[ _][A-Z][a-z]+)?) [Tt]ime\M)'],
    ['zone', '^(\s?[\[(]?(?!(?:AT|IT|BUT|NOT|LET|GET|SET|OUT|PUT|YET|WAIT|NEXT)\M)([A-Z]{1,4}T|MSK|WIB|[A-Z]{3}[0-9][A-Z]{3})\M)'],
    ['zone', '^(\s?[\[(]\s?(?!(?:Local|Your|Server|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Today|Tomorrow)\w*|(?:In|About|Approx)\M)'
      '([A-Z]{1,5}|[A-Z][a-z]{2,}(?:[ _][A-Z][a-z]+)*(?: [Tt]ime)?)\s?[\])])'],
    ['epoch', '^(([0-9]{10})([0-9]{3})?(\.[0-9]{1,9})?)(?![0-9])'],
    ['date', '(?i)^(((?:19|20|21)[0-9]{2})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?![0-9])t?)'],
    ['month_day', '(?i)^(' || v_month || '\s?([0-9]{1,2})(?![0-9:])(?:st|nd|rd|th)?(?:,?\s' || v_year || ')?)'],
    ['day_month', '(?i)^(([0-9]{1,2})(?:st|nd|rd|th)?(?: of)?[\s-]' || v_month
      || '(?:,?[\s-]' || v_year || '|-([0-9]{2})(?![0-9:]))?)'],
    ['either_way', '^(([0-9]{1,2})[/.]([0-9]{1,2})[/.]' || v_year || ')'],
    ['weekday', '(?i)^((?:next )?(mon|tue|wed|thu|fri|sat|sun)(?:s|rs?|nes|ur)?(?:day)?\M\.?)'],
    ['ahead', '(?i)^((today|tonight|tomorrow)\M)'],
    ['clock', '(?i)^(([0-9]{1,3})[:h]([0-9]{2,3})(?::([0-9]{2,3}(?:[.,][0-9]{1,9})?))?(?:' || v_meridiem
      || '|\s?(?:h|hrs|hours|uhr)\M)?)'],
    ['clock', '(?i)^(([0-9]{1,2})(?:\.([0-9]{2}))?()' || v_meridiem || ')'],
    ['noon', '(?i)^((?:12(?::00)? ?)?(noon|midnight)\M)'],
    ['year', '^(' || v_year || ')']
  ];
  v_rest text := left(words, 200);
  v_parts jsonb := jsonb_build_object();
  v_match text[];
  v_read boolean;
begin
  loop
    v_read := false;
    for v_nth in 1 .. array_length(v_patterns, 1) loop
      continue when v_parts ? v_patterns[v_nth][1] or v_patterns[v_nth][1] = 'zone' and not v_parts ?| array['clock', 'noon'];
      if v_patterns[v_nth][1] = 'epoch' then
        v_rest := regexp_replace(v_rest, v_binding, '', 'i');
      end if;
      v_match := regexp_match(v_rest, v_patterns[v_nth][2]);
      if v_match is not null then
        v_parts := v_parts || jsonb_build_object(v_patterns[v_nth][1], v_match);
        v_rest := substr(v_rest, length(v_match[1]) + 1);
        v_read := true;
        exit;
      end if;
    end loop;
    exit when not v_read;
  end loop;
  return v_parts;
end
$$;

comment on function office_internal.moment_parts(text) is 'The parts of the moment that a text begins with.';
