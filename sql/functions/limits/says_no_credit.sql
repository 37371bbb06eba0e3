-- office_internal.says_no_credit: whether the lines of an error say that credit or plan has run out: a limit that only a person can
-- lift (Q24).
create or replace function office_internal.says_no_credit(lines text)
returns boolean
language sql immutable parallel safe
return lines ~* array_to_string(
  array[
    'credit balance (?:is )?too low', '(?:insufficient|not enough|no|zero)(?: remaining| available)? (?:credits?|funds|balance)\M',
    'insufficient[ _](?:quota|balance|funds|credits?)', 'requires more credits', '\mout of credits?\M',
    'credits? (?:have |has |are |is )?(?:been )?(?:exhausted|depleted|used up)', 'payment required', 'billing hard limit',
    '(?:spend(?:ing)?|billing)[ _](?:limit|cap)(?: has been| was| is)?[ _](?:reached|exceeded|hit)',
    '(?:reached|hit|exceeded) your (?:\w+ )?(?:spend(?:ing)?|billing) (?:limit|cap)',
    '(?:subscription|plan) (?:has |is )?(?:ended|expired|lapsed)'
  ],
  '|'
);

comment on function office_internal.says_no_credit(text) is 'Whether an error says that credit or plan has run out.';
