-- office_internal.token_of: the text of an attempt's token: it names the attempt, so that no index on hashes is needed.
create or replace function office_internal.token_of(attempt_id uuid, secret text)
returns text
language sql immutable parallel safe
return 'oat_' || replace(attempt_id::text, '-', '') || '_' || secret;

comment on function office_internal.token_of(uuid, text) is 'Token of an attempt.';
