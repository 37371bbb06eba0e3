-- office.read_rate_limit: whether an error says that a provider's limit was hit, and when it says that the limit resets, without the
-- buffer (Q19). at is when it was said (null: now), timezone the workspace's, for times that name none. pattern says what was read:
--   retry_after   Retry-After, in whatever unit, or its date         try_again_in   `try again in …`, `resets in …`
--   reset_field   a field of an event: resetsAt, retryDelay          reset_time     `resets 7pm`, `try again at …`, `reset_time: …`
--   reset_header  headers of rate limits                             credit         none; only a person can lift it (Q24)
-- The first of them that is there decides. A time that is impossible, past even with the buffer, more than 8 days ahead, or in an
-- unknown zone is none: it is never guessed. Of a text longer than 16,000 characters its two ends are read. Never refuses a text.
create or replace function office.read_rate_limit(error text, at timestamptz default null, timezone text default 'UTC')
returns table (is_limit boolean, reset_at timestamptz, pattern text)
language plpgsql stable security definer parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_at timestamptz := case when isfinite(at) then at else office.now() end;
  v_lines text := office_internal.limit_text(error);
begin
  is_limit := false;
  -- Most errors have none of these words, and cost nothing more.
  if v_lines ~* ('429|limit|quota|too ?many|exhaust|throttl|credit|balance|payment|spend|out of|allowance|usage|capacity|request rate|'
    'used (?:up|all)|plan') then
    v_lines := office_internal.limit_lines(v_lines);
    is_limit := office_internal.says_limit(v_lines);
  end if;
  if is_limit then
    select r.pattern, r.moment
    into pattern, reset_at
    from office_internal.reset_told(v_lines, v_at, coalesce(read_rate_limit.timezone, 'UTC')) as r;
    if reset_at + interval '30 seconds' < v_at or reset_at > v_at + interval '192 hours' then
      reset_at := null;
    end if;
    if pattern is null and office_internal.says_no_credit(v_lines) then
      pattern := 'credit';
    end if;
  end if;
  return next;
end
$$;

comment on function office.read_rate_limit(text, timestamptz, text) is
  'Whether an error tells of a rate limit, and when it resets, without the buffer; to try a message.';
