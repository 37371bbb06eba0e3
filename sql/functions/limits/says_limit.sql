-- office_internal.says_limit: whether the lines of an error say that a limit was hit (Q19). First goes what only sounds like it:
-- limits of another kind, warnings, conditions, negations, settings, and 429 as a count, a place or a part of something else.
create or replace function office_internal.says_limit(lines text)
returns boolean
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_places constant text[] := array[
    '[\w/-]+\.[a-z]{1,5}:[0-9]+(?::[0-9]+)?', '(?:localhost|\w[\w-]*(?:\.[\w-]+)+):[0-9]+',
    '[\w/-]*rate[_-]?limit\w*\.[a-z]{1,4}\M', '(?:--|/)\w*rate-limit\w*'
  ];
  v_sounds_like constant text[] := array[
    -- Limits of the work itself. Where a reset follows, it is a limit of use all the same.
    '(?<!(?:daily|weekly|monthly|hourly|day|hour|minute) )\m(?:\w+_)?(?:context|tokens?|turns?|iterations?|steps?|size|length|time|memory|'
    'recursion|depth|output|characters?|line|files?|upload|redirects?|retry|retries|threads?|connections?|stack|heap|cpu|attachments?|'
    'input|nesting|parameters?|window|calls?|commands?|processes|workers?|agents?|rows?|results?|search|budget|log|buffer|images?|'
    'queue|concurrency|payload|body)(?: window| length| size)? limits?\M(?!.{0,80}(?:reset|try again in|retry in|per (?:minute|hour|day)))',
    '\m(?:disk|storage|inode|mailbox|file|memory|cpu|space) quotas?\M',
    -- Conditions.
    '\m(?:when|whenever|if|once|unless|until|before|after|in case) (?:the |a |an |your |our |its )?(?:[\w-]+ ){0,2}'
    '(?:rate[ _-]?limits?|quota|limits?) (?:is |are |was |gets |has been |have been )?(?:exceeded|hit|reached|triggered)',
    '\m(?:when|whenever|if|once|unless|until|before) you(?:''ve| have| are|''re)? (?:hit|reach|exceed|run out|out of|rate.limited)\w*',
    -- Not, or not yet.
    '\m(?:approaching|close to|near|nearing|almost(?: at| hit| reached)?|about to (?:hit|reach|exceed)|(?:not|no|never|without|haven''t|'
    'hasn''t|didn''t|isn''t|wasn''t)(?: (?:yet|hit|hitting|reached?|exceed(?:ed)?|a|an|been|because of|due to)){0,3}) '
    '(?:your |the |any |a |an |its )?(?:[\w-]+ ){0,3}(?:rate[ _-]?limit(?:ed|s|ing)?|limits?|quotas?)\M'
    '(?: (?:is |was |has been )?(?:reached|exceeded|hit))?',
    '[0-9.]+% of (?:your |the )?(?:[\w-]+ ){0,3}(?:limit|quota)',
    -- What deals with limits, and settings.
    'rate[ _-]?limit(?:s|ing|er|ed)? (?:remaining|handling|handlers?|config\w*|settings?|middleware|logic|polic(?:y|ies)|pars(?:er|ing)|'
    'tests?|docs?|modules?|headers?|info\w*|support|check(?:s|er)?|guards?|retr(?:y|ies)|backoff|(?:is )?(?:en|dis)abled)\M',
    'rate_limit\w*["'']?\s?[:=]\s?["'']?(?:[0-9{]|null|true|false|none|ok\M)', 'rate limits?(?: is| are)?(?:[:=]| set (?:to|at)) ?[0-9]+'
  ];
  v_counts constant text[] := array[
    '["''](?!\w*(?:status|code|error|http))\w+["'']\s?:\s?429\M',
    '\m(?:lines?|rows?|columns?|col|count|total|pid|port|id|tokens|duration|size|length|elapsed|width|height|offset|position|index|char|'
    'byte|chunk|frame|record|item|entry|task|number|revision|room|step|page|build|job|issue|pr|pull|ticket|version|seed|took|processed|'
    'costs?|price|exit(?:ed)?(?: with)?(?: code)?)\s?[:=#(]?\s?#?429\M',
    '\m429 (?:passed|failed|skipped|ms|s|[kmg]i?b|sec|min|usd|eur|errors? in|deselected|xfailed|pending|of|more|other|ok|'
    'requests? (?:in|to|handled|processed|served|sent))\M',
    '\m429 (?!errors\M|responses\M|status\M|this\M|was\M|is\M|has\M|requests\M|means\M)[a-z]+s\M'
  ];
  v_rate constant text[] := array[
    '(?<![\w-])rate[ _-]?limit(?!er)(?!ing? (?:en|dis)abled)(?!-)', 'ratelimitexceeded', 'ratelimit[\w-]*status["'']?: ?["'']?rejected',
    'too ?many ?requests', 'too many tokens(?: per|,? please wait)', 'reduce your request rate', 'temporarily limiting requests',
    '(?<!cpu )\mthrottl(?:ed|ing|ingexception)\M', '(?<![\w.,#$@/+:=-])429(?![\w%/]|[.,:-][0-9]|-[a-z])',
    '(?:status|code|error|http|response)\w*["''\])]*[:=]["'']?429(?![\w.,:/-]*[0-9])'
  ];
  v_quota constant text[] := array[
    'quota\w*(?: limit)?(?: (?:has|have) been| was| were| is| are)? ?(?:exceeded|exhausted|reached|hit|used up|depleted|error)',
    '(?:exceed(?:s|ed)?|exhausted|reached|hit|used up|out of|depleted) (?:(?:your|the|its|all|of|an?|this) ){0,2}(?:[\w''().-]+ ){0,4}'
    '(?:quota|capacity)\M',
    'resource(?:_| |)exhausted|resource has been exhausted|quota_?(?:exceeded|exhausted)'
  ];
  v_usage constant text[] := array[
    '\m(?:hit|hits|reached|exceed(?:s|ed)?|exhausted|used up|used all(?: of)?|maxed out|gone over|went over|r[au]n out of) '
    '(?:your|the|this|its|an?|my|our|all|usage|session|weekly|daily|monthly) (?:[\w''().-]+ ){0,5}'
    '(?:limits?|allowances?|cap|requests|usage|messages|credits?)\M',
    '\m(?:limits?|allowance|usage cap)(?: for [\w.-]+(?: [\w.-]+)?)?(?: (?:has|have) been| was| were| is| are)? '
    '(?:reached|hit|exceeded|exhausted|used up)\M',
    '_limit_(?:reached|exceeded)\M|\myour (?:[\w-]+ ){0,2}(?:limit|quota) will reset\M',
    '\mout of (?:your |all )?(?:extra |free |premium |included |model |monthly |weekly |daily ){0,2}'
    '(?:usage|credits?|quota|requests|messages)\M'
  ];
  v_text text := lines;
begin
  v_text := regexp_replace(v_text, array_to_string(v_places, '|'), ' ', 'gi');
  v_text := regexp_replace(v_text, array_to_string(v_sounds_like, '|'), ' ', 'gi');
  if v_text like '%429%' then
    v_text := regexp_replace(v_text, array_to_string(v_counts, '|'), ' ', 'gi');
  end if;
  return v_text ~* array_to_string(v_rate, '|')
    or v_text ~* array_to_string(v_quota, '|')
    or v_text ~* array_to_string(v_usage, '|')
    or office_internal.says_no_credit(v_text);
end
$$;

comment on function office_internal.says_limit(text) is 'Whether an error says that a rate, usage or credit limit was hit.';
