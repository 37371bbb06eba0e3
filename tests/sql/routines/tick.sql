-- R2, R9 to R17, R20: what a tick fires, what becomes of it, and what the prompt says.
-- sc-R1, sc-R2, sc-R4, sc-R5, sc-R6, sc-R7, sc-R9, sc-R11
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
select plan(96);

create function pg_temp.code(statement text) returns text language sql
as $$
  select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r where r.hint <> ''
$$;
-- 'fired/failed/passed over'
create function pg_temp.tick() returns text language sql
as $$ select format('%s/%s/%s', t.fired, t.failed, t.passed_over) from office.tick() as t $$;
create function pg_temp.fires(routine text) returns setof office.routine_runs language sql
as $$
  select f
  from office.routine_runs as f
  join office.routines as r on r.id = f.routine_id
  join office.workspaces as w on w.id = r.workspace_id and w.name = current_setting('testing.workspace')
  where r.name = fires.routine
  order by f.fired_at, f.id
$$;
-- 'done 1, coalesced 24'
create function pg_temp.became(routine text) returns text language sql
as $$
  select coalesce(string_agg(s.status || ' ' || s.number, ', ' order by s.first), '')
  from (select f.status, count(*) as number, min(f.id::text) as first from pg_temp.fires(routine) as f group by f.status) as s
$$;
create function pg_temp.trigger(routine text) returns office.routine_triggers language sql
as $$
  select t
  from office.routine_triggers as t
  join office.routines as r on r.id = t.routine_id
  join office.workspaces as w on w.id = r.workspace_id and w.name = current_setting('testing.workspace')
  where r.name = trigger.routine
  limit 1
$$;
create function pg_temp.routine(name text, assignee text, schedule text, variadic more text[] default '{}') returns void language plpgsql
as $$
begin
  perform office.create_routine(name, assignee, 'Look around.', workspace => current_setting('testing.workspace'));
  if cardinality(more) > 0 then
    perform office.update_routine(name, more[1]::jsonb);
  end if;
  if schedule is not null then
    perform office.add_schedule(name, schedule);
  end if;
end
$$;
create function pg_temp.prompt(f office.routine_runs) returns text language sql
as $$
  select p.assembled_prompt
  from office.runs as r
  join office.attempt_prompts as p on p.attempt_id = r.attempt_id
  where r.id = (f).linked_run_id
$$;
-- Ends whatever a routine's first fire runs: with success, or giving up.
create function pg_temp.ends(f office.routine_runs, how text) returns void language plpgsql
as $$
declare
  v_attempt uuid := (select r.attempt_id from office.runs as r where r.id = (f).linked_run_id);
begin
  perform office.start_attempt(v_attempt);
  if how = 'fail' then
    perform office.fail_attempt(v_attempt, 'no luck');
  else
    perform office.finish_attempt(v_attempt, '{"summary": "ok"}');
  end if;
end
$$;

-- sc-R1: due, one fire; ticked twice, one fire.
select pg_temp.scenario('once', 'ann');
select pg_temp.routine('look', 'ann', '*/5 * * * *');
select is(pg_temp.tick(), '0/0/0', 'R9: nothing due');
select is((select t.call_in from office.tick(office.now() + interval '20 seconds') as t), 40::double precision, 'R9: on the minute, for what is made meanwhile');
select is((select t.next_due_at from office.tick() as t), timestamptz '2035-01-01 10:05+00', 'R9: when to call again');
select testing.advance('5 minutes');
select is(pg_temp.tick(), '1/0/0', 'R9, sc-R1: due now, one fire');
select is((pg_temp.trigger('look')).next_run_at, timestamptz '2035-01-01 10:10+00', 'R9, sc-R1: the cursor is the next slot');
select is(pg_temp.tick(), '0/0/0', 'R9, sc-R1: ticked again, no fire');
select row_eq(
  $$ select f.source, f.status, f.slot, f.missed_ticks from pg_temp.fires('look') as f $$,
  row('cron'::text, 'received'::text, timestamptz '2035-01-01 10:05+00', null::integer), 'R12: what is written down of a fire'
);
select is(
  (select w.idempotency_key from pg_temp.fires('look') as f join office.wakeups as w on w.id = f.wakeup_id),
  (select format('routine:%s:%s:%s', f.routine_id, f.trigger_id, extract(epoch from f.slot)::bigint / 60) from pg_temp.fires('look') as f),
  'Q3: the slot''s minute is in the key'
);
select is(pg_temp.claim(), 'ann:routine', 'R15: lightweight: its agent is woken without a task');
select is(
  (select r.class || ' ' || (r.routine_id = f.routine_id) from pg_temp.fires('look') as f join office.runs as r on r.id = f.linked_run_id),
  'periodic true', 'Q2: periodic, of its routine'
);
select matches((select pg_temp.prompt(f) from pg_temp.fires('look') as f), 'Routine "look" fired, for 2035-01-01 10:05 UTC:', 'C1: the prompt says so');
select matches((select pg_temp.prompt(f) from pg_temp.fires('look') as f), E'\nLook around.\n', 'C1: … with the description');
select pg_temp.ends(f, 'well') from pg_temp.fires('look') as f;
select is(pg_temp.became('look'), 'done 1', 'R12, sc-R7: its run finished: done');

-- sc-R11: an hour back: nothing twice. A hand that sets the cursor back neither.
select testing.advance('-1 hour');
select is(pg_temp.tick(), '0/0/0', 'R11, sc-R11: the clock set back, nothing fires');
select testing.advance('1 hour');
update office.routine_triggers set next_run_at = '2035-01-01 10:05+00' where id = (pg_temp.trigger('look')).id;
select is(pg_temp.tick(), '0/0/0', 'R20, sc-R11: a slot that has fired does not fire again');
select is((pg_temp.trigger('look')).next_run_at, timestamptz '2035-01-01 10:10+00', 'R20: … and the trigger is armed');
select is((pg_temp.trigger('look')).last_fired_at is not null, true, 'R8: when it last fired');
select office.archive_routine('look');

-- sc-R2, sc-R11: an outage of 36 slots.
select pg_temp.scenario('outage', 'skip', 'fold', 'each');
select pg_temp.routine('skipping', 'skip', '0 * * * *', '{"catch_up_policy": "skip_missed"}');
select pg_temp.routine('folding', 'fold', '0 * * * *');
select pg_temp.routine('each', 'each', '0 * * * *', '{"concurrency_policy": "always_enqueue"}');
select testing.advance('36 hours');
select is(pg_temp.tick(), '51/0/0', 'R10, sc-R2: 1, 25 and 25 of 36 slots fire');
select row_eq(
  $$ select f.slot, f.missed_ticks from pg_temp.fires('skipping') as f $$, row(timestamptz '2035-01-02 22:00+00', null::integer),
  'R10, sc-R2: skip_missed: the latest slot, and no gap told'
);
select results_eq(
  $$ select f.missed_ticks, f.missed_since, f.slot from pg_temp.fires('folding') as f order by f.slot limit 2 $$,
  $$ values (11, timestamptz '2035-01-01 11:00+00', timestamptz '2035-01-01 22:00+00'), (null, null, '2035-01-01 23:00+00') $$,
  'R10, sc-R2: the newest 25, oldest first; the first says what was dropped'
);
select is((pg_temp.trigger('folding')).next_run_at, timestamptz '2035-01-02 23:00+00', 'R10: then the first slot after now');
select is(pg_temp.claim(), 'skip:routine, fold:routine, each:routine', 'R14: by default one run');
select is(pg_temp.became('folding'), 'received 1, coalesced 24', 'R12, sc-R2: 24 coalesce');
select is(
  (select count(distinct f.coalesced_into_run_id) from pg_temp.fires('folding') as f where f.status = 'coalesced'), 1::bigint,
  'R12: … into one routine run'
);
select matches(
  (select pg_temp.prompt(f) from pg_temp.fires('folding') as f where f.status = 'received'), 'You missed 11 ticks since 2035-01-01T11:00:00Z\.',
  'C1, sc-R2: the prompt says what was missed'
);
select is(
  (select count(*) from office.runs as r join pg_temp.fires('each') as f on f.linked_run_id = r.id where r.solo and r.coalesced_count = 1), 25::bigint,
  'R14, sc-R2: always_enqueue: 25 runs, none merged'
);
select results_eq(
  $$
    select s.dropped, s.dropped_since, s.slots[1], s.slots[3], s.next_at
    from office_internal.due_slots(office_internal.parse_cron('* * * * *'), 'UTC', '2030-01-01', '2035-01-01', 3) as s
  $$,
  $$ values (10000, timestamptz '2030-01-01', timestamptz '2034-12-31 23:58+00', timestamptz '2035-01-01', timestamptz '2035-01-01 00:01+00') $$,
  'R10: counted to 10,000; the newest fire'
);
select office.archive_routine(n) from unnest(array['skipping', 'folding', 'each']) as n;
select is_empty('select * from office.audit()', 'K9');

-- sc-R5, R2: paused over 20 slots.
select pg_temp.scenario('paused', 'ann');
select pg_temp.routine('held', 'ann', '*/5 * * * *');
select office.pause('routine:held', 'holiday');
select testing.advance('50 minutes');
select is(pg_temp.tick(), '0/0/1', 'R2, sc-R5: a paused routine is passed over');
select testing.advance('50 minutes');
select pg_temp.tick();
select is(pg_temp.became('held'), '', 'R2, sc-R5: … without a routine run');
select is((pg_temp.trigger('held')).last_fired_at, null::timestamptz, 'R2: … nor a last fire');
select is(
  (select count(*) from office.activity as a where a.kind = 'routine_passed_over' and a.detail ->> 'routine' = 'held'), 1::bigint, 'R2: … told once'
);
select is(pg_temp.code($$ select * from office.fire_routine('held') $$), 'PT409 routine_inactive', 'R2, sc-R5: nor by hand');
select testing.advance('12 minutes');
select office.resume('routine:held');
select is((pg_temp.trigger('held')).next_run_at > office.now(), true, 'R2, sc-R5: resumed, its next slot is to come');
select testing.advance('5 minutes');
select pg_temp.tick();
select row_eq($$ select count(*), max(f.missed_ticks) from pg_temp.fires('held') as f $$, row(1::bigint, null::integer), 'R2, sc-R5: … with no missed ticks');
select office.archive_routine('held');
select testing.advance('1 hour');
select is(pg_temp.tick(), '0/0/0', 'R2, sc-R5: archived, it never fires');

-- I9: why.
select pg_temp.scenario('story', 'ann');
select pg_temp.routine('told', 'ann', '*/5 * * * *');
select testing.advance('5 minutes');
select pg_temp.tick();
select office.pause('routine:told', 'holiday');
select results_eq(
  $$ select w.event, w.detail, w.lift from office.why('routine:told') as w $$,
  $$
    select * from (values
      ('fired', (select format('cron, for %s UTC, received', to_char(timezone('UTC', f.slot), 'YYYY-MM-DD HH24:MI')) from pg_temp.fires('told') as f), null::text),
      ('does not fire', 'schedule, */5 * * * *, UTC, the routine is paused: holiday', 'select * from office.resume(''routine:story/told'');')
    ) as v
  $$,
  'I9, R20: the story of a routine, and what lifts its pause'
);
select office.resume('routine:told');
select is((select w.event from office.why('routine:told') as w offset 1), 'fires next', 'I9: … and when it fires next');
select office.archive_routine('told');

-- sc-R4: one that cannot fire does not stop the others.
select pg_temp.scenario('broken', 'bob', 'ann');
select office.create_agent('cid', workspace => 'broken');
select pg_temp.routine('heavy', 'cid', '0 * * * *', '{"task_template": {"title": "x"}}');
select pg_temp.routine('light', 'ann', '0 * * * *');
select testing.advance('1 hour');
select is(pg_temp.tick(), '1/1/0', 'R9, sc-R4: one fails, the other fires');
select matches((select f.status || ': ' || f.error from pg_temp.fires('heavy') as f), '^failed: Nothing could be launched', 'R9, sc-R4: … with the error');
select ok((pg_temp.trigger('heavy')).next_run_at > office.now(), 'R9, sc-R4: … and its trigger is armed');
set local session_replication_role = replica;
update office.routine_triggers set next_run_at = null where id = (pg_temp.trigger('light')).id;
update office.routine_triggers set timezone = 'Not/There' where id = (pg_temp.trigger('heavy')).id;
set local session_replication_role = origin;
select is(
  (select string_agg(a.invariant, ', ' order by a.invariant) from office.audit() as a), 'an enabled trigger has a next fire', 'R20: the audit sees it'
);
select is(pg_temp.tick(), '0/0/0', 'R9: a cursor that is missing is repaired without a fire');
select ok((pg_temp.trigger('light')).next_run_at > office.now(), 'R20: … and armed');
select testing.advance('1 hour');
select is(pg_temp.tick(), '1/1/0', 'R9: a trigger that cannot be armed holds up nothing');
select is((pg_temp.trigger('heavy')).enabled, false, 'R20: … and is disabled');
select is((select count(*) from office.inbox_items as i where i.kind = 'routine.broken'), 1::bigint, 'R9: … with an inbox item');
select office.archive_routine(n) from unnest(array['heavy', 'light']) as n;

-- R8: once.
select pg_temp.scenario('single', 'ann');
select pg_temp.routine('single', 'ann', null);
select office.add_once('single', office.now() + interval '90 seconds');
select testing.advance('1 day');
select is(pg_temp.tick(), '1/0/0', 'R8: missed while all was down, it fires at the next tick');
select row_eq($$ select t.enabled, t.next_run_at from pg_temp.trigger('single') as t $$, row(false, null::timestamptz), 'R8: … and is disabled');
select is(pg_temp.tick(), '0/0/0', 'R8: … once');

-- sc-R6, R13 to R16: heavy.
select pg_temp.scenario('heavy', 'ann');
select pg_temp.routine(
  'report', 'ann', '0 9 * * *',
  '{"task_template": {"title": "{{env}} report of {{datetime}}", "description": "For {{who}}: {{open}}", "priority": "high"},
    "variables": {"env": {"default": "prod"}, "who": {"default": "{{env}}"}}}'
);
update office.routine_triggers set timezone = 'Asia/Tokyo' where id = (pg_temp.trigger('report')).id;
select testing.advance('1 day');
select is(pg_temp.tick(), '1/0/0', 'R15: heavy: fires');
select row_eq(
  $$
    select t.title, t.description, t.priority, t.state, w.kind, f.status
    from pg_temp.fires('report') as f
    join office.tasks as t on t.id = f.linked_task_id
    join office.workflows as w on w.id = t.workflow_id
  $$,
  (
    select row(
      'prod report of ' || to_char(timezone('Asia/Tokyo', office.now()), 'YYYY-MM-DD"T"HH24:MI:SS') || '+09:00',
      'For {{env}}: {{open}}'::text, 'high'::text, 'in_progress'::text, 'routine'::text, 'task_created'::text
    )
  ),
  'R15, R16, sc-R9: a task on the hidden workflow; built-ins in the trigger''s zone, a value is not expanded, a placeholder without one stays'
);
select is(pg_temp.claim(), 'ann:task_assigned', 'T4, R15: woken once, by its stage');
select is(
  (select w.idempotency_key from pg_temp.fires('report') as f join office.wakeups as w on w.task_id = f.linked_task_id),
  (select format('task_assigned:%s:%s', t.id, t.assignee_agent_id) from pg_temp.fires('report') as f join office.tasks as t on t.id = f.linked_task_id),
  'R15: with the assignment''s key'
);
select is((select f.linked_run_id is not null from pg_temp.fires('report') as f), true, 'R12: its run is linked');
select testing.advance('1 day');
select pg_temp.tick();
select is(pg_temp.became('report'), 'task_created 1, coalesced 1', 'R13, R14, sc-R6: its task is live: coalesced, though its title has the time in it');
select pg_temp.look();
select is(
  (select w.status from pg_temp.fires('report') as f join office.wakeups as w on w.id = f.wakeup_id), 'coalesced', 'R14: its wakeup joins the live run'
);
select office.fire_routine('report', '{"env": "test"}');
select is(pg_temp.became('report'), 'task_created 2, coalesced 1', 'R13, sc-R6: other variables: a task of its own');
select pg_temp.ends(f, 'well') from (select f.* from pg_temp.fires('report') as f limit 1) as f;
-- What joined too late is carried on, and ends as well (Q5).
select pg_temp.claim();
select office.start_attempt(r.attempt_id) from office.runs as r where r.status = 'claimed' and r.task_id is not null;
select office.finish_attempt(r.attempt_id) from office.runs as r where r.status = 'running' and r.task_id is not null;
select testing.advance('30 days');
select pg_temp.tick();
select ok(
  (select count(*) = 0 from pg_temp.fires('report') as f where f.status = 'task_created' and f.source = 'cron' and f.slot > '2035-01-20'),
  'R14, sc-R6: in progress for 30 days: still coalesced'
);
select pg_temp.look();
select is(
  (select string_agg(distinct w.status || '/' || w.reason, ' ') from pg_temp.fires('report') as f join office.wakeups as w on w.id = f.wakeup_id
    where w.status <> 'coalesced'),
  'skipped/no_live_run', 'R14: without a run in flight its wakeups wake nobody'
);
update office.tasks as t set state = 'done' from pg_temp.fires('report') as f where t.id = f.linked_task_id and f.status = 'task_created';
select pg_temp.look();
select is((select string_agg(distinct f.status, ' ') from pg_temp.fires('report') as f where f.coalesced_into_run_id is null), 'done', 'R12: its task is done: done, by a plain UPDATE, too');
select testing.advance('1 day');
select pg_temp.tick();
select is((select count(*) from pg_temp.fires('report') as f where f.status = 'task_created'), 1::bigint, 'R14, sc-R6: done: the next fire makes a new one');

-- Cancelled, archived, deleted: each is over, also before the dispatch has seen it.
create function pg_temp.live() returns office.tasks language sql
as $$ select t from pg_temp.fires('report') as f join office.tasks as t on t.id = f.linked_task_id where f.status = 'task_created' order by t.number desc limit 1 $$;
update office.tasks set state = 'cancelled' where id = (pg_temp.live()).id;
select is((select f.status from office.fire_routine('report') as f), 'task_created', 'R14, sc-R6: cancelled, and not dispatched yet: a new one');
select office.archive_task('t' || (pg_temp.live()).number);
select is((select f.status from office.fire_routine('report') as f), 'task_created', 'R14, sc-R6: archived: a new one');
delete from office.tasks where id = (pg_temp.live()).id;
select is((select f.status from office.fire_routine('report') as f), 'task_created', 'R14, sc-R6: deleted: a new one');
select pg_temp.look();
select is((select count(*) from pg_temp.fires('report') as f where f.status = 'cancelled'), 3::bigint, 'R12: those are cancelled');

-- Its run gave up.
select office.set_setting('max_retry_count', '0', 'heavy');
select pg_temp.claim();
select pg_temp.ends(f, 'fail') from pg_temp.fires('report') as f where f.status = 'task_created';
select is((select f.status || ': ' || f.error from pg_temp.fires('report') as f where f.status = 'failed'), 'failed: no luck', 'R12, sc-R6: its run gave up: failed');
select office.carry_out();
select is(
  (select t.state from pg_temp.fires('report') as f join office.tasks as t on t.id = f.linked_task_id where f.status = 'failed'), 'blocked',
  'R12, sc-R6: … its task is blocked'
);
select is((select f.status from office.fire_routine('report') as f), 'task_created', 'R12, sc-R6: … and the next fire makes a new one');
select office.retry_run('r' || r.number) from pg_temp.fires('report') as f join office.runs as r on r.id = f.linked_run_id where f.status = 'failed';
select is((select count(*) from pg_temp.fires('report') as f where f.status = 'task_created'), 2::bigint, 'R12: tried again, it is taken up again');
select is_empty('select * from office.audit()', 'K9');
select office.archive_routine('report');

-- R14: skip_if_active; R16: refusals and the cut title.
select pg_temp.scenario('values', 'ann');
select pg_temp.routine(
  'values', 'ann', null,
  jsonb_build_object('concurrency_policy', 'skip_if_active', 'task_template', jsonb_build_object('title', '{{n}}' || repeat('x', 500)), 'variables',
    '{"n": {"type": "number", "required": true}, "c": {"type": "select", "options": ["a", "b"]}, "b": {"type": "boolean"}}'::jsonb)::text
);
select is(pg_temp.code($$ select office.fire_routine('values') $$), 'PT422 bad_variables n', 'R16: a required one is missing');
select is(pg_temp.code($$ select office.fire_routine('values', '{"n": "1"}') $$), 'PT422 bad_variables n', 'R16, sc-R9: a wrong type');
select is(pg_temp.code($$ select office.fire_routine('values', '{"n": 1, "c": "x"}') $$), 'PT422 bad_variables c', 'R16, sc-R9: not among the options');
select is(pg_temp.code($$ select office.fire_routine('values', '{"n": 1, "m": 2}') $$), 'PT422 bad_variables m', 'R16: not declared');
select is(pg_temp.code($$ select office.fire_routine('nobody') $$), 'PT404 not_found', 'R17: no such routine');
select is((select f.status from office.fire_routine('values', '{"n": 12, "date": "Easter"}') as f), 'task_created', 'R17: fired by hand');
select is((select length(t.title) || left(t.title, 3) from office.tasks as t join pg_temp.fires('values') as f on f.linked_task_id = t.id), '20012x', 'R15, sc-R9: a title is cut at 200');
select is((select f.trigger_payload ->> 'date' from pg_temp.fires('values') as f), 'Easter', 'R16, sc-R9: given beats built-in');
select is((select f.status from office.fire_routine('values', '{"n": 12, "date": "Easter"}') as f), 'skipped', 'R14: skip_if_active');
select is((select f.status from office.fire_routine('values', '{"n": 13}') as f), 'task_created', 'R14: other variables are another');

-- sc-R7: lightweight.
select pg_temp.scenario('light', 'ann');
select pg_temp.routine('one', 'ann', '0 * * * *');
select pg_temp.routine('two', 'ann', '0 * * * *');
select office.update_agent('light/ann', '{"max_concurrent_sessions": 5}');
select testing.advance('1 hour');
select pg_temp.tick();
select is(pg_temp.claim(), 'ann:routine, ann:routine', 'R15, sc-R7: two routines of one agent are two runs');
select office.fire_routine('one');
select is(pg_temp.claim(), 'ann:routine', 'R14, Q4: by hand, beside a claimed periodic run: a fresh one');
select is(pg_temp.became('one'), 'received 2', 'R14: … and not coalesced');
select office.fire_routine('one');
select pg_temp.look();
select is(pg_temp.became('one'), 'received 2, coalesced 1', 'R12: merged into a run that it did not create: coalesced');
select pg_temp.ends(f, 'well') from (select f.* from pg_temp.fires('one') as f limit 1) as f;
select office.set_setting('max_retry_count', '0', 'light');
select pg_temp.ends(f, 'fail') from (select f.* from pg_temp.fires('two') as f limit 1) as f;
select is(pg_temp.became('two'), 'failed 1', 'R12, sc-R7: gave up: failed');
select testing.advance('1 hour');
select pg_temp.tick();
select pg_temp.claim();
select is(pg_temp.became('two'), 'failed 1, received 1', 'R14, sc-R7: the run before ended: the next fires');
select office.stop('r' || r.number) from office.runs as r join pg_temp.fires('two') as f on f.linked_run_id = r.id where f.status = 'received';
update office.runs as r set status = 'cancelled' from pg_temp.fires('two') as f where f.linked_run_id = r.id and r.status = 'stopping';
select is(pg_temp.became('two'), 'failed 1, cancelled 1', 'R12, sc-R7: stopped: cancelled, by a plain UPDATE, too');
select office.update_agent('light/ann', '{"skip_idle_wakeups": true}');
select testing.advance('1 hour');
select pg_temp.tick();
select pg_temp.claim();
select is(pg_temp.became('two'), 'failed 1, cancelled 1, skipped 1', 'R12, sc-R7: nothing to do: skipped');

-- R9: of one person's assistants at most five a pass.
select pg_temp.scenario('helpers', 'ann');
select office.create_agent('helper', '{"command": ["/bin/true"]}', 'assistant', workspace => 'helpers');
select pg_temp.routine('h' || n, 'helper', '0 * * * *') from generate_series(1, 7) as n;
select pg_temp.routine('after', 'ann', '0 * * * *');
select office.archive_routine(n) from unnest(array['one', 'two']) as n;
select testing.advance('1 hour');
select is(pg_temp.tick(), '6/0/0', 'R9: five of a person''s assistants, and the others');
select is((select t.next_due_at <= office.now() from office.tick(office.now() - interval '1 day') as t), true, 'R9: the rest stay due');
select is(pg_temp.tick(), '2/0/0', 'R9: … for the next pass');

-- Two triggers of a routine in one pass: the second meets what the first has fired, whether it is stored yet or not.
select pg_temp.scenario('pair', 'ann');
select pg_temp.routine('twice', 'ann', '0 * * * *', '{"task_template": {"title": "Look"}}');
select pg_temp.routine('skips', 'ann', '0 * * * *', '{"concurrency_policy": "skip_if_active"}');
select office.add_schedule(r, '*/30 * * * *') from unnest(array['twice', 'skips']) as r;
select testing.advance('30 minutes');
select pg_temp.tick();
select pg_temp.look();
select office.move_task('t' || t.number, 'done') from pg_temp.fires('twice') as f join office.tasks as t on t.id = f.linked_task_id;
select office.stop('r' || r.number) from office.runs as r join pg_temp.fires('skips') as f on f.linked_run_id = r.id;
select pg_temp.claim();
select is(pg_temp.became('twice') || '; ' || pg_temp.became('skips'), 'done 1; cancelled 1', 'R12: ended');
select testing.advance('30 minutes');
select pg_temp.tick();
select is(pg_temp.became('twice'), 'done 1, task_created 1, coalesced 1', 'R14: two triggers at once make one task');
select is(pg_temp.became('skips'), 'cancelled 1, received 1, skipped 1', 'R14: … or skip');
select is_empty('select * from office.audit()', 'K9');

select * from finish();
rollback;
