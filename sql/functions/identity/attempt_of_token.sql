-- office_internal.attempt_of_token: the living attempt that a token is good for, and its agent; no row for any other text.
-- A token is oat_<attempt>_<secret>; only its hash is kept, and it dies with its attempt.
create or replace function office_internal.attempt_of_token(secret text)
returns table (attempt_id uuid, agent_id uuid)
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select a.id, r.agent_id
  from regexp_match(attempt_of_token.secret, '^oat_([0-9a-f]{32})_[0-9a-f]{64}$') as named (part)
  join office.attempts as a on a.id = named.part[1]::uuid
  join office.runs as r on r.id = a.run_id
  where a.ended_at is null and a.token_hash = sha256(convert_to(attempt_of_token.secret, 'UTF8'))
$$;

comment on function office_internal.attempt_of_token(text) is 'Living attempt and agent of a token.';
