-- office_internal.says_limit: whether the lines of an error say that a limit was hit (Q19). First goes what only sounds like it:
-- limits of another kind, warnings, conditions, negations, settings, and 429 as a count, a line or a port.
create or replace function office_internal.says_limit(lines text)
returns boolean
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_text text := lines;
begin
  v_text := regexp_replace(
    v_text,
    '[\w/-]+\.[a-z]{1,5}:[0-9]+(?::[0-9]+)?|(?:localhost|\w[\w-]*(?:\.[\w-]+)+):[0-9]+|[\w/-]*rate[_-]?limit\w*\.[a-z]{1,4}\M'
    '|(?:--|/)\w*rate-limit\w*',
    ' ', 'gi'
  );
  v_text := regexp_replace(
    v_text,
    '(?<!(?:daily|weekly|monthly|hourly|day|hour|minute) )\m(?:context|tokens?|turns?|iterations?|steps?|size|length|time|memory|recursion|depth|output|'
    'characters?|line|files?|upload|redirects?|retry|retries|threads?|connections?|stack|heap|cpu|attachments?|input|nesting|parameters?|window)'
    '(?: window| length| size)? limits?\M(?!.{0,80}(?:reset|try again in|retry in|per (?:minute|hour|day)))'
    '|\m(?:disk|storage|inode|mailbox|file|memory|cpu|space) quotas?\M'
    '|\m(?:when|whenever|if|once|unless|until|before|after|in case) (?:the |a |an |your |our |its )?(?:[\w-]+ ){0,2}(?:rate[ _-]?limits?|quota|limits?) '
    '(?:is |are |was |gets |has been |have been )?(?:exceeded|hit|reached|triggered)'
    '|\m(?:when|whenever|if|once|unless|until|before) you(?:''ve| have| are|''re)? (?:hit|reach|exceed|run out|out of|rate.limited)\w*'
    '|\m(?:approaching|close to|near|nearing|almost(?: at| hit| reached)?|about to (?:hit|reach|exceed)|(?:not|no|never|without|haven''t|hasn''t|didn''t|isn''t|wasn''t)'
    '(?: (?:yet|hit|hitting|reached?|exceed(?:ed)?|a|an|been|because of|due to)){0,3})'
    ' (?:your |the |any |a |an |its )?(?:[\w-]+ ){0,3}(?:rate[ _-]?limit(?:ed|s|ing)?|limits?|quotas?)\M(?: (?:is |was |has been )?(?:reached|exceeded|hit))?'
    '|[0-9.]+% of (?:your |the )?(?:[\w-]+ ){0,3}(?:limit|quota)',
    ' ', 'gi'
  );
  v_text := regexp_replace(
    v_text,
    'rate[ _-]?limit(?:s|ing|er|ed)? (?:remaining|handling|handlers?|config\w*|settings?|middleware|logic|polic(?:y|ies)|pars(?:er|ing)|tests?|docs?|modules?|'
    'headers?|info\w*|support|check(?:s|er)?|guards?|retr(?:y|ies)|backoff|is (?:en|dis)abled|(?:en|dis)abled)\M'
    '|rate_limit\w*["'']?\s?[:=]\s?["'']?(?:[0-9{]|null|true|false|none|ok\M)'
    '|rate limits?(?: is| are)?(?:[:=]| set (?:to|at)) ?[0-9]+ ?(?!\)|\])'
    '|["''](?!\w*(?:status|code|error|http))\w+["'']\s?:\s?429\M'
    '|\m(?:lines?|rows?|columns?|col|count|total|pid|port|id|tokens|duration|size|length|elapsed|width|height|offset|index|step|page|build|job|issue|'
    'pr|pull|ticket|version|seed|took|processed|exit(?:ed)?(?: with)?(?: code)?)\s?[:=#(]?\s?#?429\M'
    '|\m429 (?:lines?|passed|failed|skipped|tests?|files?|bytes?|ms|s|[kmg]i?b|sec\w*|min\w*|hours?|days?|items?|rows?|records?|insertions?|'
    'deletions?|commits?|words?|char\w*|tokens?|warnings?|errors? in|problems?|packages?|modules?|assertions?|deselected|xfailed|pending|of|objects?|'
    'deltas?|entries|steps?|pages?|points?|issues?|matches|results?|occurrences?|px|users?|dependencies|vulnerabilities|ok|more|other|times|'
    'requests? (?:in|to|handled|processed|served|sent)|(?!errors\M|responses\M|status\M|this\M|was\M|is\M|has\M|requests\M|means\M)[a-z]+s)\M',
    ' ', 'gi'
  );
  return v_text ~* '(?<![\w-])rate[ _-]?limit(?!er)(?!ing? (?:en|dis)abled)(?!-)|ratelimitexceeded|ratelimit[\w-]*status["'']?: ?["'']?rejected'
    or v_text ~* '(?<![\w.,#$@/+:=-])429(?![\w%/]|[.,:-][0-9]|-[a-z])|(?:status|code|error|http|response)\w*["''\])]*[:=]["'']?429(?![\w.,:/-]*[0-9])'
    or v_text ~* 'too ?many ?requests|too many tokens(?: per|,? please wait)|reduce your request rate|(?<!cpu )\mthrottl(?:ed|ing|ingexception)\M|temporarily limiting requests'
    or v_text ~* 'quota\w*(?: limit)?(?: (?:has|have) been| was| were| is| are)? ?(?:exceeded|exhausted|reached|hit|used up|depleted|error)'
    or v_text ~* '(?:exceed(?:s|ed)?|exhausted|reached|hit|used up|out of|depleted) (?:(?:your|the|its|all|of|an?|this) ){0,2}(?:[\w''().-]+ ){0,4}(?:quota|capacity)\M'
    or v_text ~* 'resource(?:_| |)exhausted|resource has been exhausted|quota_?(?:exceeded|exhausted)|insufficient[ _]quota'
    or v_text ~* '\m(?:hit|hits|reached|exceed(?:s|ed)?|exhausted|used up|used all(?: of)?|maxed out|gone over|went over|ran out of|run out of) '
      '(?:your|the|this|its|an?|my|our|all|usage|session|weekly|daily|monthly) (?:[\w''().-]+ ){0,5}(?:limits?|allowances?|cap|requests|usage|messages|credits?)\M'
    or v_text ~* '\m(?:limits?|allowance|usage cap)(?: for [\w.-]+(?: [\w.-]+)?)?(?: (?:has|have) been| was| were| is| are)? (?:reached|hit|exceeded|exhausted|used up)\M|_limit_(?:reached|exceeded)\M'
    or v_text ~* '\mout of (?:your |all )?(?:extra |free |premium |included |model |monthly |weekly |daily ){0,2}(?:usage|credits?|quota|requests|messages)\M'
    or office_internal.says_no_credit(v_text);
end
$$;

comment on function office_internal.says_limit(text) is 'Whether an error says that a rate, usage or credit limit was hit.';

-- A limit that only a person can lift (Q24).
create or replace function office_internal.says_no_credit(lines text)
returns boolean
language sql immutable parallel safe
return lines ~* (
  'credit balance (?:is )?too low|(?:insufficient|not enough|no|zero)(?: remaining| available)? (?:credits?|funds|balance)\M|insufficient[ _](?:quota|balance|funds|credits?)|'
  'out of credits?\M|credits? (?:have |has |are |is )?(?:been )?(?:exhausted|depleted|used up)|payment required|billing hard limit|'
  '(?:spend(?:ing)?|billing)[ _](?:limit|cap)(?: has been| was| is)?[ _](?:reached|exceeded|hit)|'
  '(?:subscription|plan) (?:has |is )?(?:ended|expired|lapsed)'
);

comment on function office_internal.says_no_credit(text) is 'Whether an error says that credit or plan has run out.';
