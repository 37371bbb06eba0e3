-- A failure that tells of a limit is tried again 30 s after the limit's reset, not after the back-off (Q19, sc-W16).
begin;
set local search_path = tap, public;
select plan(25);
\ir ../support/queue.psql

create function pg_temp.fail_at(at timestamptz, error text, zone text default 'UTC')
returns uuid
language plpgsql
as $$
declare
  v_wakeup uuid;
begin
  perform testing.set_clock(at);
  perform pg_temp.scenario('at-' || gen_random_uuid(), 'ann');
  update office.workspaces as w set timezone = zone where w.name = current_setting('testing.workspace');
  v_wakeup := pg_temp.wake('ann');
  perform pg_temp.claim();
  perform pg_temp.start(v_wakeup);
  perform pg_temp.fail(v_wakeup, error);
  return v_wakeup;
end
$$;

create function pg_temp.retry_at(wakeup uuid)
returns text
language sql
as $$ select to_char((pg_temp.run(wakeup)).scheduled_retry_at at time zone 'UTC', 'DD HH24:MI:SS') $$;

create function pg_temp.said(wakeup uuid)
returns text
language sql
as $$
  select concat_ws(' ', a.retry_source, to_char(a.parsed_reset_at at time zone 'UTC', 'DD HH24:MI:SS'))
  from office.attempts as a
  where a.run_id = (pg_temp.run(wakeup)).id
  order by a.number desc
  limit 1
$$;

-- The reset is used, with the buffer
select pg_temp.fail_at('2035-01-01 10:00+00', 'HTTP 429 Too Many Requests, Retry-After: 3600') as w \gset
select is(pg_temp.retry_at(:'w'), '01 11:00:30', 'Q19, sc-W16: Retry-After: 3600 at 10:00 is tried again at 11:00:30');
select is(pg_temp.said(:'w'), 'rate_limit_parsed 01 11:00:00', 'Q19: the attempt says where the time came from, without the buffer');
select is(
  concat_ws(' ', (pg_temp.run(:'w')).status, (pg_temp.run(:'w')).retry_count, (pg_temp.run(:'w')).parked),
  'queued 1 retry', 'Q19: … and the retry is counted'
);
select is(
  (select v.detail ->> 'retry_source' || ' ' || (v.detail ->> 'parsed_reset_at') from office.activity as v where v.run_id = (pg_temp.run(:'w')).id and v.kind = 'retry_scheduled'),
  'rate_limit_parsed 2035-01-01T11:00:00.000Z', 'Q19: … and so does the log, in UTC'
);
select is(
  (select count(*)::integer from office.why('r' || (pg_temp.run(:'w')).number) as y where y.event = 'retry scheduled' and y.detail like 'the limit''s reset, at %, retry 1'),
  1, 'Q19, I9: … and the run''s story'
);
select testing.set_clock('2035-01-01 11:00:29+00');
select is(pg_temp.claim(), '', 'Q19: it is not tried before the buffer is over');
select testing.set_clock('2035-01-01 11:00:30+00');
select is(pg_temp.claim(), 'ann:user', 'Q19: … but then');
select is_empty('select * from office.audit()', 'Q26: the books are right');

select pg_temp.fail_at('2035-01-01 10:00+00', 'Rate limit reached. Please try again in 5 minutes.') as w \gset
select is(pg_temp.retry_at(:'w'), '01 10:05:30', 'Q19, sc-W16: try again in 5 minutes');
select pg_temp.fail_at('2035-01-02 03:45+00', 'Usage limit reached, resets at 4:00 AM') as w \gset
select is(pg_temp.retry_at(:'w'), '02 04:00:30', 'Q19, sc-W16: resets at 4:00 AM, seen at 3:45');
select pg_temp.fail_at('2035-01-02 03:45+00', 'Usage limit reached, resets at 3:00 AM') as w \gset
select is(pg_temp.retry_at(:'w'), '03 03:00:30', 'Q19, sc-W16: resets at 3:00 AM, seen at 3:45: the next day');
select pg_temp.fail_at('2035-01-02 03:45+00', 'Usage limit reached, resets at 6:00 AM', 'Europe/Berlin') as w \gset
select is(pg_temp.retry_at(:'w'), '02 05:00:30', 'Q19: a wall-clock time is read in the workspace''s zone');
select pg_temp.fail_at('2035-01-02 03:45+00', 'Usage limit reached, resets at 6:00 AM (UTC)', 'Europe/Berlin') as w \gset
select is(pg_temp.retry_at(:'w'), '02 06:00:30', 'Q19: … unless the message names one');

-- The back-off, where there is no reset to use: between 2 min and 2 min 30 s
create function pg_temp.backs_off(at timestamptz, error text)
returns text
language plpgsql
as $$
declare
  v_wakeup uuid := pg_temp.fail_at(at, error);
begin
  return concat_ws(
    ' ', (pg_temp.run(v_wakeup)).scheduled_retry_at - at between '2 minutes' and '2 minutes 30 seconds', pg_temp.said(v_wakeup)
  );
end
$$;
select is(pg_temp.backs_off('2035-01-02 03:45+00', 'Usage limit reached, resets at 25:00'), 't backoff', 'Q19, sc-W16: an impossible time: the back-off');
select is(pg_temp.backs_off('2035-01-02 03:45+00', 'rate limit exceeded, reset_time: 1752624000'), 't backoff', 'Q19, sc-W16: a past epoch: the back-off');
select is(pg_temp.backs_off('2035-01-02 03:45+00', 'rate limit exceeded, try again in 9 days'), 't backoff', 'Q19: more than 8 days ahead: the back-off');
select is(pg_temp.backs_off('2035-01-02 03:45+00', 'You''ve hit your limit, resets 7pm (Europe/Barcelona)'), 't backoff', 'Q19: an unknown zone: the back-off');
select is(pg_temp.backs_off('2035-01-02 03:45+00', '429 Too Many Requests'), 't backoff', 'Q19: a limit without a time: the back-off');
select is(pg_temp.backs_off('2035-01-02 03:45+00', 'exit 1: try again in 5 minutes'), 't backoff', 'Q19: a time without a limit: the back-off');
select is(
  (select v.detail ->> 'retry_source' from office.activity as v where v.kind = 'retry_scheduled' order by v.id desc limit 1),
  'backoff', 'Q19: the log says so'
);

-- A limit does not keep a run for ever
select pg_temp.fail_at('2035-01-03 10:00+00', 'rate limit exceeded, Retry-After: 60') as w \gset
update office.runs as r set retry_count = 4 where r.id = (pg_temp.run(:'w')).id;
select testing.set_clock('2035-01-03 10:01:30+00');
select is(pg_temp.claim(), 'ann:user', 'Q19: the fifth launch');
select pg_temp.start(:'w');
select is(pg_temp.fail(:'w', 'rate limit exceeded, Retry-After: 60'), 'failed', 'Q19, sc-W16: at retry 4 it gives up all the same');
select is(pg_temp.said(:'w'), '', 'Q19: what is not tried again has no source');

-- What others do with a failure is as it was
select pg_temp.fail_at('2035-01-04 10:00+00', 'x') as w \gset
select is((select a.outcome from office.attempts as a where a.id = pg_temp.attempt(:'w')), 'failed', 'Q18: the attempt failed');
select is_empty('select * from office.audit()', 'Q26: the books are right');

select * from finish();
rollback;
