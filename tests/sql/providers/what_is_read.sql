-- Q24: what is read for limits is the failed attempt's error - exit message, error events, stderr - with an event's fields first, and never
-- what the agent said, wrote or was answered. A limit that only a person can lift blocks (Q24); one of a model is the model's (Q25).
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/providers.psql
select plan(32);

-- Error events before the error text

select pg_temp.spending('events', 'anthropic:team', null, 'ann');
select pg_temp.hits('events', 'ann', $e${"type":"system","subtype":"init","session_id":"a"}
{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":2051262000,"rateLimitType":"five_hour"}}
{"type":"result","subtype":"success","is_error":true,"result":"You've hit your limit · resets 9pm"}
exit 1: Too many requests, try again in 5 minutes$e$) as w \gset
select is(
  to_char((select a.parsed_reset_at from office.attempts as a where a.run_id = (pg_temp.run(:'w')).id) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), '2035-01-01 11:00:00', 'Q24: an event''s field comes before any words'
);
select is(pg_temp.holds(), 'anthropic:team until 11:00:30', 'Q24, Q25: … and is what the account waits for');
select office.end_hold('anthropic:team');

-- What the agent said, wrote, read and was answered: 24 hours of silence for a diff

create function pg_temp.read_as(said text, error text)
returns text
language plpgsql
as $$
declare
  v_wakeup uuid;
  v_name text := 'as-' || md5(said || error);
begin
  perform pg_temp.spending(v_name, 'anthropic:' || v_name, null, 'ann');
  v_wakeup := pg_temp.wake('ann');
  perform pg_temp.claim();
  perform pg_temp.start(v_wakeup);
  perform office.record_steps(pg_temp.attempt(v_wakeup), jsonb_agg(jsonb_build_object('sequence', k.nth, 'kind', k.kind, 'content', said)))
  from unnest(array['message', 'reasoning', 'tool_call', 'tool_result', 'output', 'usage', 'note']) with ordinality as k (kind, nth);
  perform pg_temp.fail(v_wakeup, error);
  return (select a.retry_source from office.attempts as a where a.run_id = (pg_temp.run(v_wakeup)).id)
    || case when exists (select from office.provider_holds as h where h.provider = 'anthropic:' || v_name) then ' held' else '' end;
end
$$;
select is(pg_temp.read_as(t.said, 'exit 1'), 'backoff', format('Q24: not read, when the agent says it: %s', left(t.said, 60)))
from (values
  ('HTTP 429 Too Many Requests, Retry-After: 86400'),
  ('{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":2051262000}}'),
  (E'+  raise RateLimit("usage limit reached, resets 10am tomorrow")\n-  pass')
) as t (said);
select is(pg_temp.read_as('', t.error), 'backoff', format('Q24: not read, in an error text: %s', left(t.error, 60)))
from (values
  (E'exit 1: diff --git a/client.py b/client.py\n@@ -1,2 +1,2 @@\n+    raise Busy("rate limit hit, try again in 24 hours")\n-    pass'),
  (E'exit 1: tests failed\nFAILED tests/test_http.py::test_waits - AssertionError: expected 429, Retry-After: 86400'),
  (E'exit 1\n{"type":"user","message":{"content":[{"type":"tool_result","content":"429 Too Many Requests, Retry-After: 86400"}]}}'),
  (E'exit 1\n{"type":"assistant","message":{"content":[{"type":"text","text":"The API answers rate limit exceeded; try again in 24 hours."}]}}'),
  (E'exit 2: src/limiter.rs:429:13: error: expected `;`')
) as t (error);

-- More words of the same kinds

select is(pg_temp.read_as('', t.error), 'rate_limit_parsed held', format('Q24, Q25: read: %s', left(t.error, 60)))
from (values
  ('exit 1: Claude usage limit reached. Your limit will reset at 1pm (UTC).'),
  ('exit 1: You''ve reached your weekly limit ∙ resets Jan 4 at 9am'),
  ('exit 1: stream error: exceeded retry limit, last status: 429 Too Many Requests; retry-after: 120'),
  (E'exit 1: ERROR: You''ve hit your usage limit. Upgrade to Pro or try again in 2 hours 13 minutes.'),
  ('exit 55: RESOURCE_EXHAUSTED: quota exceeded, "retryDelay": "37s"'),
  ('exit 1: {"error":{"type":"rate_limit_error","message":"Too many requests"},"retry_after":90}'),
  ('exit 1: Rate limit reached for requests. Please try again in 20.5s.')
) as t (error);

-- Only a person can lift it

select pg_temp.spending('credit', 'openai:own', null, 'ann', 'boss');
select office.update_agent('credit/boss', '{"role": "ceo"}');
select pg_temp.hits('credit', 'ann', 'exit 1: Your credit balance is too low to access the API. Please go to Plans & Billing.') as w \gset
select is((pg_temp.run(:'w')).status || ' ' || (pg_temp.run(:'w')).retry_count, 'blocked 0', 'Q24: a limit that only a person lifts blocks at once');
select is((select a.outcome from office.attempts as a where a.id = pg_temp.attempt(:'w')), 'blocked', 'Q24: … so the attempt says');
select is(
  (select i.kind || ' ' || (position('credit balance' in i.body) > 0) || ' ' || (position('retry_run' in i.body) > 0) from office.inbox_items as i where i.run_id = (pg_temp.run(:'w')).id),
  'run.blocked true true', 'Q24: … with an inbox item that says what to mend'
);
select is(pg_temp.claim(), 'boss:agent_error', 'Q18: … escalated the same way');
select is((select count(*)::integer from office.provider_holds as h where h.provider = 'openai:own'), 0, 'Q25: … and nothing to wait for holds nobody');
select office.retry_run('r' || (pg_temp.run(:'w')).number);
select pg_temp.claim();
select pg_temp.start(:'w');
select is(pg_temp.fail(:'w', 'exit 1: insufficient_quota: You exceeded your current quota, try again in 5 minutes'), 'queued', 'Q24: what says when it resets is not one of those');

-- Whose limit it is

select is(office_internal.limited_model(t.error, t.model), case when t.is_models then t.model end, format('Q25: %s: %s', t.model, left(t.error, 60)))
from (values
  ('Opus weekly limit reached ∙ resets 9am', 'opus', true),
  ('Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM). Please try again in 6s.', 'gpt-4o', true),
  ('You have exhausted your capacity on this model. Your quota will reset after 3h.', 'gemini-2.5-pro', true),
  ('Rate limit reached for gpt-4o-mini in organization org-x. Please try again in 6s.', 'gpt-4o', false),
  ('You''ve hit your limit · resets 9am', 'opus', false),
  (E'model: gpt-5-codex\nERROR: You''ve hit your usage limit. Try again in 2 hours.', 'gpt-5-codex', false),
  ('Claude usage limit reached, resets 3pm', 'claude-opus-4-1', false),
  ('Opus weekly limit reached ∙ resets 9am', null, false)
) as t (error, model, is_models);

select office.end_hold(h.provider) from (select distinct provider from office.provider_holds where ended_at is null) as h;
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
