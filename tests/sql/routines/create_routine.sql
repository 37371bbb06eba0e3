-- R1, R6, R8, R16: what can be a routine and a trigger, and what is refused; by function and by plain UPDATE. sc-R10
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
select plan(59);

create function pg_temp.code(statement text) returns text language sql
as $$
  select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r where r.hint <> ''
$$;
create function pg_temp.routine(name text) returns office.routines language sql
as $$ select r from office.routines as r where r.name = routine.name $$;
create function pg_temp.trigger(id text) returns office.routine_triggers language sql
as $$ select t from office.routine_triggers as t where t.id = trigger.id::uuid $$;

select pg_temp.scenario('routines', 'ann');
select office.create_agent('far', workspace => (office.create_workspace('elsewhere')).workspace);

select is((office.create_routine('brief', 'ann', 'Write it.', workspace => 'routines')).status, 'active', 'R1: a routine');
select row_eq(
  $$ select r.concurrency_policy, r.catch_up_policy, r.catch_up_max, r.task_template, r.variables, r.last_run_at from pg_temp.routine('brief') as r $$,
  row('coalesce_if_active'::text, 'enqueue_missed_with_cap'::text, 25, '{}'::jsonb, '{}'::jsonb, null::timestamptz), 'R1: defaults'
);
select is(
  (select (pg_temp.routine((office.create_routine('other', 'routines/ann', concurrency_policy => 'always_create')).routine)).concurrency_policy),
  'always_enqueue', 'R1: the policy''s other name'
);
select is(pg_temp.code($$ select office.create_routine('Brief', 'routines/ann') $$), 'PT409 name_taken name', 'R1: a name in use');
select is(pg_temp.code($$ select office.create_routine('a/b', 'routines/ann') $$), 'PT422 invalid name', 'R1: a name that means a workspace''s');
select is(pg_temp.code($$ select office.create_routine('x', 'nobody', workspace => 'routines') $$), 'PT404 not_found', 'R1: an unknown agent');
select is(pg_temp.code($$ select office.create_routine('x', 'routines/ann', catch_up_max => 1001) $$), 'PT422 invalid catch_up_max', 'R1: over 1000');
select is(pg_temp.code($$ select office.create_routine('x', 'routines/ann', catch_up_max => 0) $$), 'PT422 invalid catch_up_max', 'R1: below 1');
select is(
  pg_temp.code($$ select office.create_routine('x', 'routines/ann', concurrency_policy => 'sometimes') $$), 'PT422 invalid concurrency_policy',
  'R1: an unknown policy'
);
select is(
  pg_temp.code($$ select office.create_routine('x', 'routines/ann', task_template => '{"description": "d"}') $$),
  'PT422 missing task_template.title', 'R1: a template without a title'
);
select is(
  pg_temp.code($$ select office.create_routine('x', 'routines/ann', task_template => '{"title": "t", "requiresApproval": true}') $$),
  'PT422 unknown_field task_template.requiresApproval', 'R1: unknown settings are refused, not dropped'
);
select is(
  pg_temp.code($$ select office.create_routine('x', 'routines/ann', task_template => '{"title": "t", "priority": "now"}') $$),
  'PT422 invalid task_template.priority', 'R1: a template''s priority'
);
select is(
  pg_temp.code($$ select office.create_routine('x', 'routines/ann', task_template => '{"title": "t", "project": "none"}') $$),
  'PT404 not_found', 'R1: a template''s project'
);
select is(pg_temp.code($$ select office.update_routine('brief', '{"catchUpMax": 3}') $$), 'PT422 unknown_field catchUpMax', 'R1: no such setting');
select is(pg_temp.code($$ select office.update_routine('brief', '{"catch_up_max": "many"}') $$), 'PT422 invalid changes', 'R1: the wrong type');
select is(pg_temp.code($$ select office.update_routine('brief', '{"assignee": "far"}') $$), 'PT404 not_found', 'R1: another workspace''s agent');
select is(
  pg_temp.code($$ update office.routines set assignee_agent_id = (select a.id from office.agents as a where a.name = 'far') where name = 'brief' $$),
  'PT422 invalid assignee', 'R1: … by hand neither'
);
select is(pg_temp.code($$ select office.update_routine('bref', '{}') $$), 'PT404 not_found', 'I2: no such routine');

-- R16: declarations.
select is(
  pg_temp.code($$ select office.update_routine('brief', '{"variables": {"n": {"kind": "number"}}}') $$), 'PT422 unknown_field variables.n',
  'R16: an unknown setting of a variable'
);
select is(
  pg_temp.code($$ select office.update_routine('brief', '{"variables": {"n": {"type": "number", "default": "3"}}}') $$),
  'PT422 invalid variables.n', 'R16: a default of another type'
);
select is(
  pg_temp.code($$ select office.update_routine('brief', '{"variables": {"n": {"type": "select"}}}') $$), 'PT422 invalid variables.n',
  'R16: a select without options'
);
select is(
  pg_temp.code($$ select office.update_routine('brief', '{"variables": {"n": {"type": "text", "options": ["a"]}}}') $$),
  'PT422 invalid variables.n', 'R16: options of another type'
);
select is(
  pg_temp.code($$ select office.update_routine('brief', '{"variables": {"n": {"type": "select", "options": ["a"], "default": "b"}}}') $$),
  'PT422 invalid variables.n', 'R16: a default that is no option'
);
select is(pg_temp.code($$ select office.update_routine('brief', '{"variables": {"1st": {}}}') $$), 'PT422 invalid variables.1st', 'R16: a name');
select is(pg_temp.code($$ select office.update_routine('brief', '{"variables": {"date": {}}}') $$), 'PT422 invalid variables.date', 'R16: a built-in');
select office.create_routine(
  'heavy', 'routines/ann', task_template => '{"title": "{{env}} at {{datetime}}", "description": "{{ what }} {{env}}"}',
  variables => '{"env": {"type": "select", "options": ["a", "b"], "default": "a"}}'
);
select is(
  (pg_temp.routine('heavy')).variables,
  '{"env": {"type": "select", "options": ["a", "b"], "default": "a", "required": false}, "what": {"type": "text", "required": false}}'::jsonb,
  'R16, sc-R9: an unknown placeholder becomes a declaration, a built-in does not'
);
select office.update_routine('heavy', '{"task_template": {"title": "{{more}}"}}');
select is((pg_temp.routine('heavy')).variables -> 'more', '{"type": "text", "required": false}'::jsonb, 'R16: … also when the template changes');

-- R6, R8: schedules.
select (office.add_schedule('brief', ' 30 9 * * MON-FRI ', 'Europe/Berlin')).trigger_id as schedule \gset
select is((pg_temp.trigger(:'schedule')).next_run_at, timestamptz '2035-01-02 08:30+00', 'R8: armed when it is made');
select is((pg_temp.trigger(:'schedule')).cron, office_internal.parse_cron('30 9 * * mon-fri'), 'R7: the parsed form is kept with it');
select is(pg_temp.code($$ select office.add_schedule('brief', '0 0 30 2 *') $$), 'PT422 bad_cron day of month', 'R6, sc-R10: never');
select is(pg_temp.code($$ select office.add_schedule('brief', '') $$), 'PT422 bad_cron expression', 'R6: empty');
select is(pg_temp.code($$ select office.add_schedule('brief', '0 9 * * *', 'CET') $$), 'PT422 bad_timezone timezone', 'R4: an abbreviation');
select is(
  pg_temp.code(format($$ select office.update_trigger(%L, '{"cron": "0 0 30 2 *"}') $$, :'schedule')), 'PT422 bad_cron day of month',
  'R6, sc-R10: a change to never is refused'
);
select is(
  pg_temp.code(format($$ update office.routine_triggers set expression = '0 0 31 4 *' where id = %L $$, :'schedule')),
  'PT422 bad_cron day of month', 'R6: … by hand, too'
);
select is((pg_temp.trigger(:'schedule')).next_run_at, timestamptz '2035-01-02 08:30+00', 'R6, sc-R10: … and the old one stays in force');
select is(
  (office.update_trigger(:'schedule', '{"cron": "0 7 * * *", "timezone": "Asia/Tokyo"}')).next_run_at, timestamptz '2035-01-01 22:00+00',
  'R8: a change arms it anew'
);
select is(
  pg_temp.code(format($$ select office.update_trigger(%L, '{"secret": "0123456789abcdef"}') $$, :'schedule')), 'PT422 unknown_field secret',
  'R8: a schedule has no secret'
);
select is((office.disable_trigger(:'schedule')).next_run_at, null::timestamptz, 'R8: disabled, it has no next fire');
select is((office.enable_trigger(:'schedule')).next_run_at, timestamptz '2035-01-01 22:00+00', 'R8: enabled, it has one');
update office.routine_triggers set next_run_at = null where id = :'schedule';
select is((pg_temp.trigger(:'schedule')).next_run_at, timestamptz '2035-01-01 22:00+00', 'R20: a hand cannot take it away');
update office.routines set last_run_at = '2035-01-01 09:00+00' where name = 'brief';
update office.routines set last_run_at = '2035-01-01 08:00+00' where name = 'brief';
select is((pg_temp.routine('brief')).last_run_at, timestamptz '2035-01-01 09:00+00', 'R12: last_run_at only grows');

-- R8: once.
select is(pg_temp.code($$ select office.add_once('brief', '2034-12-31') $$), 'PT422 invalid fire_at', 'R8: once is in the future');
select is((office.add_once('brief', '2035-02-01 12:00+00')).next_run_at, timestamptz '2035-02-01 12:00+00', 'R8: once');

-- R16: a clock gives no values.
select office.create_routine('needy', 'routines/ann', '{{who}}', variables => '{"who": {"required": true}}');
select is(pg_temp.code($$ select office.add_schedule('needy', '0 9 * * *') $$), 'PT422 bad_variables who', 'R16: a required one without default');
select is(
  pg_temp.code($$ select office.update_routine('brief', '{"variables": {"who": {"required": true}}}') $$), 'PT422 bad_variables who',
  'R16: … nor one declared later'
);

-- R18: webhooks and their secrets.
select * from office.add_webhook('needy') \gset hook_
select matches(:'hook_public_id'::text, '^[0-9a-f]{32}$', 'R18: a public id of 128 bits');
select ok(octet_length(:'hook_secret') >= 32, 'R18: a secret is made, and shown once');
select is(pg_temp.code($$ select office.add_webhook('needy', 'hmac_sha256', '') $$), 'PT422 invalid secret', 'R18, sc-R8: an empty secret cannot be made');
select is(pg_temp.code($$ select office.add_webhook('needy', 'bearer', '0123456789abcde') $$), 'PT422 invalid secret', 'R18: one of 15 bytes');
select is(pg_temp.code($$ select office.add_webhook('needy', 'md5') $$), 'PT422 invalid signing', 'R18: unknown signing');
select is(pg_temp.code($$ select office.add_webhook('needy', 'none', '0123456789abcdef') $$), 'PT422 invalid secret', 'R18: nothing to sign with');
select is((office.add_webhook('needy', 'none')).secret, null::text, 'R18: unsigned, it has none');
select isnt((office.rotate_secret(:'hook_trigger_id')).secret, :'hook_secret'::text, 'R18: a new secret');
select is_empty(
  format($$ select from office.activity as a where a.detail::text like %L $$, '%' || :'hook_secret' || '%'), 'R18: no secret in the activity'
);

-- R2: archived is final.
select is((office.archive_routine('brief')).status, 'archived', 'R1: archived');
select is_empty($$ select from office.routine_triggers as t join office.routines as r on r.id = t.routine_id where r.name = 'brief' and t.enabled $$, 'R2: its triggers are disabled');
select is(pg_temp.code($$ select office.resume('routine:brief') $$), 'PT409 conflict', 'R1: archived is final');
select is(pg_temp.code(format($$ select office.enable_trigger(%L) $$, :'schedule')), 'PT409 routine_inactive', 'R2: … and fires no more');
delete from office.routines where name = 'other';
select isnt((pg_temp.routine('other')).deleted_at, null, 'A6: a DELETE sets deleted_at');

select * from finish();
rollback;
