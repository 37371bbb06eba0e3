-- R16, R18: what a webhook's call is answered with, in which order, and what it leaves. sc-R5, sc-R8, sc-R9
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
select plan(47);

select is(
  encode(office_internal.hmac_sha256('what do ya want for nothing?', 'Jefe'), 'hex'),
  '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'R18: RFC 4231, case 2'
);
select is(
  encode(office_internal.hmac_sha256('Test Using Larger Than Block-Size Key - Hash Key First', decode(repeat('aa', 131), 'hex')), 'hex'),
  '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54', 'R18: RFC 4231, case 6'
);

select pg_temp.scenario('hooks', 'ann');
select office.create_routine(
  'deploy', 'hooks/ann', 'Deploy {{env}}.',
  variables => '{"env": {"type": "select", "options": ["prod", "test"], "required": true}, "n": {"type": "number"}, "dry": {"type": "boolean"}}'
);
select * from office.add_webhook('deploy', 'hmac_sha256', 'it is a secret to everybody') \gset hook_
-- The status and code of a call; its headers are added to the right signature.
create function pg_temp.post(id text, body text, headers jsonb default '{}') returns text language plpgsql
as $$
declare
  v_said record;
begin
  select * into v_said from office.fire_webhook(id, jsonb_build_object('X-Hub-Signature-256', 'sha256='
    || encode(office_internal.hmac_sha256(convert_to(body, 'UTF8'), 'it is a secret to everybody'), 'hex')) || headers, convert_to(body, 'UTF8'));
  perform set_config('testing.answer', v_said.answer::text, true);
  return concat_ws(' ', v_said.status, coalesce(v_said.answer ->> 'code', v_said.answer ->> 'status'));
end
$$;
create function pg_temp.fires() returns bigint language sql
as $$ select count(*) from office.routine_runs as f join office.routines as r on r.id = f.routine_id where r.name = 'deploy' $$;
select :'hook_public_id' as id \gset

select is(pg_temp.post('0123', '{}'), '404 not_found', 'R18, sc-R8: unknown');
select is(pg_temp.post(:'id', '{"env": "test"}'), '202 received', 'R18: signed as GitHub signs');
select is(current_setting('testing.answer')::jsonb - 'status', (select jsonb_build_object('routine_run_id', f.id) from office.routine_runs as f), 'R18: … answered with the routine run');
select is(pg_temp.post(:'id', '{"env": "test"}'), '202 received', 'R18, sc-R8: without a key twice: two');
select is(pg_temp.fires(), 2::bigint, 'R18, sc-R8: … two');
select row_eq(
  $$ select f.source, f.trigger_payload ->> 'env', f.body from office.routine_runs as f order by f.id limit 1 $$,
  row('webhook'::text, 'test'::text, '{"env": "test"}'::jsonb), 'R16: the body is kept, a declared member is a value'
);
select is((office.fire_webhook(:'id', '{"X-Signature-256": "sha256=00"}', '{}')).status, 401, 'R18, sc-R8: a bad signature');
select is((office.fire_webhook(:'id', '{}', '{}')).status, 401, 'R18: none');
select is((office.fire_webhook(:'id', null, null)).status, 401, 'R18: nothing at all');
select is(pg_temp.post(:'id', repeat('x', 262145), '{}'), '413 body_too_large', 'R18, sc-R8: over 256 KiB');
select is(pg_temp.post(:'id', '[1]'), '400 bad_body', 'R18, sc-R8: not an object');
select is(pg_temp.post(:'id', '{"env": '), '400 bad_body', 'R18, sc-R8: not JSON');
select is(pg_temp.post(:'id', repeat('[', 100000)), '400 bad_body', 'R18: nested beyond reason');
select is(pg_temp.post(:'id', ''), '422 bad_variables', 'R18, sc-R8: empty is an empty object: the required variable is missing');
select is(pg_temp.post(:'id', '{"env": "moon"}'), '422 bad_variables', 'R16: not among the options');
select is(pg_temp.post(:'id', '{"env": "prod", "n": "12.5", "dry": "true", "other": 1}'), '202 received', 'R16: numbers and booleans from text, others no error');
select is(
  (select f.trigger_payload - '{date,datetime}'::text[] from office.routine_runs as f where f.trigger_payload ->> 'env' = 'prod'),
  '{"env": "prod", "n": 12.5, "dry": true}'::jsonb, 'R16: … and no variable'
);
select is(pg_temp.fires(), 3::bigint, 'R18, sc-R8: what was refused has left no row');

-- The same key.
select is(pg_temp.post(:'id', '{"env": "test"}', '{"Idempotency-Key": "k1"}'), '202 received', 'R18: with a key');
select current_setting('testing.answer') as first \gset
select is(
  (select w.idempotency_key from office.wakeups as w join office.routine_runs as f on f.wakeup_id = w.id where f.request_key = 'k1'),
  (select format('routine:%s:webhook:k1', r.id) from office.routines as r where r.name = 'deploy'), 'Q3: the wakeup''s key'
);
select pg_temp.look();
select is(pg_temp.post(:'id', '{"env": "prod"}', '{"idempotency-key": "k1"}'), '200 received', 'R18, sc-R8: the same key again: 200');
select is(current_setting('testing.answer'), :'first'::text, 'R18, sc-R8: … and the first answer');
select is((select count(*) from office.routine_runs as f where f.request_key = 'k1'), 1::bigint, 'R18: … one fire');
select is(pg_temp.post(:'id', '{"env": "prod"}', jsonb_build_object('Idempotency-Key', repeat('k', 256))), '422 invalid', 'R18: a key that is too long');

-- Standard Webhooks.
select 'whsec_' || encode('0123456789abcdef01234567', 'base64') as standard \gset
select (office.add_webhook('deploy', 'hmac_sha256', :'standard')).public_id as id2 \gset
create function pg_temp.standard(id text, at timestamptz, message text default 'msg_1', body text default '{"env": "test"}', key bytea default '0123456789abcdef01234567')
returns text language sql
as $$
  select concat_ws(' ', f.status, coalesce(f.answer ->> 'code', f.answer ->> 'status'))
  from (select extract(epoch from at)::bigint::text as time) as t
  cross join lateral office.fire_webhook(id, jsonb_build_object(
    'webhook-id', message, 'webhook-timestamp', t.time, 'webhook-signature', 'v1,AAAA v1,'
    || encode(office_internal.hmac_sha256(convert_to(message || '.' || t.time || '.' || body, 'UTF8'), key), 'base64')
  ), convert_to(body, 'UTF8')) as f
$$;
select is(pg_temp.standard(:'id2', office.now()), '202 received', 'R18: signed as Standard Webhooks sign');
select is(pg_temp.standard(:'id2', office.now()), '200 received', 'R18: the same message again: the first answer');
select is(pg_temp.standard(:'id2', office.now() - interval '301 seconds', 'msg_2'), '401 bad_signature', 'R18: older than five minutes');
select is(pg_temp.standard(:'id2', office.now() + interval '301 seconds', 'msg_2'), '401 bad_signature', 'R18: more than five minutes ahead');
select is(pg_temp.standard(:'id2', office.now() - interval '299 seconds', 'msg_2'), '202 received', 'R18: within five minutes');
select is(pg_temp.standard(:'id2', office.now(), 'msg_3', key => 'another key of that size'), '401 bad_signature', 'R18: another key');

-- Bearer and none.
select (office.add_webhook('deploy', 'bearer', 'sixteen bytes ok')).public_id as id3 \gset
select is((office.fire_webhook(:'id3', '{"Authorization": "Bearer sixteen bytes ok"}', '{"env": "test"}')).status, 202, 'R18: bearer');
select is((office.fire_webhook(:'id3', '{"authorization": "Bearer sixteen bytes no"}', '{"env": "test"}')).status, 401, 'R18: another bearer');
select is((office.fire_webhook(:'id3', '{"authorization": "Basic sixteen bytes ok"}', '{"env": "test"}')).status, 401, 'R18: no bearer');
select (office.add_webhook('deploy', 'none')).public_id as id4 \gset
select is((office.fire_webhook(:'id4', '{}', '{"env": "test"}')).status, 202, 'R18: unsigned');

-- Paused, disabled, archived; rotated.
select office.pause('routine:deploy');
select pg_temp.fires() as before \gset
select is(pg_temp.post(:'id', '{"env": "test"}'), '409 routine_inactive', 'R2, sc-R5: paused');
select is((office.fire_webhook(:'id', '{"X-Signature-256": "sha256=00"}', '{}')).status, 401, 'R18, sc-R8: a bad signature is told first');
select is(pg_temp.fires(), :before::bigint, 'R18, sc-R8: … and no row');
select office.resume('routine:deploy');
select office.rotate_secret(:'hook_trigger_id');
select is(pg_temp.post(:'id', '{"env": "test"}'), '401 bad_signature', 'R18: rotated, the old secret is good no more');
select office.update_trigger(:'hook_trigger_id', '{"secret": "it is a secret to everybody"}');
select office.disable_trigger(:'hook_trigger_id');
select is(pg_temp.post(:'id', '{"env": "test"}'), '409 trigger_disabled', 'R18, sc-R8: disabled');
select office.enable_trigger(:'hook_trigger_id');

-- Hammered.
select office.fire_webhook(:'id', '{}', '{}') from generate_series(1, 10);
select is(pg_temp.post(:'id', '{"env": "test"}'), '429 too_many_attempts', 'R18: ten bad signatures within a minute: slowed');
select is((office.fire_webhook(:'id4', '{}', '{"env": "test"}')).status, 202, 'R18: … no other trigger is');
select testing.advance('61 seconds');
select is(pg_temp.post(:'id', '{"env": "test"}'), '202 received', 'R18: … and after the minute it is heard again');

select pg_temp.claim();
select matches(
  (select p.assembled_prompt from office.attempt_prompts as p), E'It was sent:\n\n```text\n[^`]*"other": 1', 'R16: the whole body is in the fenced prompt'
);
select is_empty(
  $$ select from office.activity as a where a.detail::text like '%secret to everybody%' union all select from office.routine_runs as f where f::text like '%secret to everybody%' $$,
  'R18: no secret in activity nor on record'
);
select is_empty('select * from office.audit()', 'K9');

select * from finish();
rollback;
