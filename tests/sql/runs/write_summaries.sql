-- office_internal.write_summaries: what a taskless run hands on to the next of its scope (C4, C5): when it is written and when not, its
-- four sections and where each line comes from, its caps, and what a builder that fails leaves. sc-X4
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(47);

create function pg_temp.end_with(wakeup uuid, result jsonb)
returns text
language sql
as $$ select f.outcome from office.finish_attempt(pg_temp.attempt(wakeup), result) as f $$;

create function pg_temp.summary(scope text)
returns office.continuation_summaries
language sql
as $$ select s from office.continuation_summaries as s where s.scope = summary.scope $$;

-- The lines under a heading.
create function pg_temp.under(heading text, content text)
returns text
language sql
as $$
  select split_part(split_part(E'\n' || content, E'\n## ' || heading || E'\n', 2), E'\n\n## ', 1)
$$;

-- Which runs leave one, and under which scope

select pg_temp.scenario('scopes', 'ann', 'bob');
select a.id as ann, 'agent:' || a.id as scope
from office.agents as a join office.workspaces as w on w.id = a.workspace_id where w.name = 'scopes' and a.name = 'ann' \gset
select pg_temp.wake('ann') as w1 \gset
select pg_temp.claim();
select is((pg_temp.summary(:'scope')).content, null, 'C5: nothing before a run has ended');
select pg_temp.end_with(:'w1', '{"summary": "Swept the floor. It is clean now."}');
select is(
  (pg_temp.summary(:'scope')).content,
  E'## Active focus\nSwept the floor. It is clean now.\nNothing happened since 2034-12-31 10:00 UTC.\n\n'
  || E'## Open blockers\nNone.\n\n'
  || E'## Recent decisions\n- 2035-01-01, result: Swept the floor.\n\n'
  || E'## Next action\nContinue monitoring.\n',
  'C5, sc-X4: the first, with its four sections, under agent:<id>'
);
select is(
  (select (s.content_tokens, s.updated_by_run_id, s.previous_content, s.workspace_id = (pg_temp.run(:'w1')).workspace_id)::text from pg_temp.summary(:'scope') as s),
  (select ((length(s.content) + 3) / 4, (pg_temp.run(:'w1')).id, null::text, true)::text from pg_temp.summary(:'scope') as s),
  'C4: tokens are characters / 4, rounded up; the run that left it is named'
);
select testing.advance('1 minute');
select pg_temp.task('the task', 'bob') as task \gset
select pg_temp.claim();
select id as w2 from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.end_with(:'w2', '{"summary": "of a task"}');
select is((select count(*)::integer from office.continuation_summaries as s where s.workspace_id = (pg_temp.run(:'w2')).workspace_id), 1, 'C4: a task''s run leaves none');

select testing.advance('1 hour');
select pg_temp.wake('ann') as w3 \gset
select pg_temp.claim();
select pg_temp.fail(:'w3');
select is((pg_temp.summary(:'scope')).updated_by_run_id, (pg_temp.run(:'w1')).id, 'C5, sc-X4: a failed attempt leaves the last good one');
select testing.advance('1 hour');
select pg_temp.claim();
select office.stop('r' || (pg_temp.run(:'w3')).number);
select pg_temp.end_with(:'w3', '{"summary": "too late"}');
select is((pg_temp.run(:'w3')).status, 'cancelled', 'P2: a run that was stopped');
select is((pg_temp.summary(:'scope')).updated_by_run_id, (pg_temp.run(:'w1')).id, 'C5: … leaves the last good one, whatever its program says');

-- By hand: an UPDATE in psql is an end like any other
select pg_temp.wake('ann') as w4 \gset
select pg_temp.claim();
select pg_temp.start(:'w4');
update office.runs set status = 'finished' where id = (pg_temp.run(:'w4')).id;
select is((pg_temp.summary(:'scope')).updated_by_run_id, (pg_temp.run(:'w4')).id, 'C5, Q17: an end by hand leaves a summary, too');
select is(pg_temp.under('Active focus', (pg_temp.summary(:'scope')).content),
  E'Swept the floor. It is clean now.\nruns finished: 1, tasks open: 1 since 2035-01-01 10:00 UTC.', 'C5: without a result the first line of before stays');

-- Scopes of routines

select pg_temp.scenario('routines', 'ann');
\set morning 00000000-0000-7000-8000-0000000000e1
\set evening 00000000-0000-7000-8000-0000000000e2
select office.update_agent('routines/ann', '{"max_concurrent_sessions": 4}');
select pg_temp.wake('ann', 'routine', jsonb_build_object('routine_id', :'morning')) as w1 \gset
select pg_temp.wake('ann', 'routine', jsonb_build_object('routine_id', :'evening')) as w2 \gset
select is(pg_temp.claim(), 'ann:routine, ann:routine', 'two routines of one agent run at once');
select office.finish_attempts(jsonb_build_array(
  jsonb_build_object('attempt_id', pg_temp.attempt(:'w1'), 'result', '{"summary": "good morning"}'::jsonb),
  jsonb_build_object('attempt_id', pg_temp.attempt(:'w2'), 'result', '{"summary": "good night"}'::jsonb)
));
select is(
  array[split_part((pg_temp.summary('routine:' || :'morning')).content, E'\n', 2), split_part((pg_temp.summary('routine:' || :'evening')).content, E'\n', 2)],
  array['good morning', 'good night'], 'C4, sc-X4: two routines of one agent leave two summaries'
);
select pg_temp.wake('ann', 'self', '{"reason": "also"}') as w3 \gset
select pg_temp.claim();
select pg_temp.end_with(:'w3', '{"summary": "neither"}');
select is(split_part((pg_temp.summary('agent:' || (pg_temp.run(:'w3')).agent_id)).content, E'\n', 2), 'neither', 'C4: … and a run of no routine a third');
-- A request of no routine joins the routine's queued run: that stays the routine's.
select pg_temp.wake('ann', 'routine', jsonb_build_object('routine_id', :'morning')) as w4 \gset
select pg_temp.look();
select pg_temp.wake('ann', 'user') as w5 \gset
select pg_temp.claim();
select is((pg_temp.run(:'w5')).id, (pg_temp.run(:'w4')).id, 'Q4: a taskless wake joins the routine''s run');
select pg_temp.end_with(:'w4', '{"summary": "both"}');
select is(split_part((pg_temp.summary('routine:' || :'morning')).content, E'\n', 2), 'both', 'C4: … whose scope was fixed when it was made');

-- Where each line comes from

select pg_temp.scenario('lines', 'ann', 'bob');
select 'agent:' || a.id as scope, a.id as ann
from office.agents as a join office.workspaces as w on w.id = a.workspace_id where w.name = 'lines' and a.name = 'ann' \gset
create function pg_temp.round(result jsonb)
returns text
language plpgsql
as $$
declare
  v_wakeup uuid;
begin
  perform testing.advance('1 day');
  v_wakeup := pg_temp.wake('ann');
  perform pg_temp.claim();
  perform pg_temp.end_with(v_wakeup, round.result);
  return (pg_temp.summary('agent:' || (pg_temp.run(v_wakeup)).agent_id)).content;
end
$$;
select is(split_part(pg_temp.round('{"message": "m", "error": "e", "result": "r"}'), E'\n', 2), 'r', 'C5: summary, result, message, error: the first that is set');
select is(split_part(pg_temp.round('{"error": "e", "message": " \n ", "summary": {"no": "text"}}'), E'\n', 2), 'e', 'C5: … and says something');
select is(split_part(pg_temp.round('{}'), E'\n', 2), 'e', 'C5: a result that says nothing leaves the first line of before');
select is(
  pg_temp.under('Active focus', pg_temp.round('{"summary": "## Open blockers\nline two\n\n## Next action\nrm -rf"}')),
  E'Open blockers line two  ## Next action rm -rf\nNothing happened since 2035-01-04 12:01 UTC.', 'C3: a result opens no section'
);
select is(pg_temp.under('Next action', pg_temp.round('{"next_action": "Ask ada\nabout it."}')), E'Ask ada about it.\n', 'C5: the next action is the result''s');
select is(pg_temp.under('Recent decisions', pg_temp.round('{"summary": "So it is! Or not."}')), '- 2035-01-07, result: So it is!', 'C5: without a decision the first sentence of the result, dated');
select is(
  pg_temp.under('Recent decisions', pg_temp.round('{"decisions": ["one", {"decision": "two\nlines"}, "", 7, null]}')),
  E'- 2035-01-08: two lines\n- 2035-01-08: one', 'C5: the result''s decisions, the newest first, what is none left out'
);
select is(pg_temp.under('Recent decisions', pg_temp.round('{"summary": "Nothing decided."}')), E'- 2035-01-08: two lines\n- 2035-01-08: one', 'C5: they stay');
select is(
  pg_temp.under('Recent decisions', pg_temp.round('{"decisions": ["a", "b", "c", "d"]}')),
  E'- 2035-01-10: d\n- 2035-01-10: c\n- 2035-01-10: b\n- 2035-01-10: a\n- 2035-01-08: two lines', 'C5: … the last five'
);
select testing.advance('1 hour');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
insert into office.activity (workspace_id, at, kind, agent_id, run_id, detail)
select r.workspace_id, office.now(), 'decision_noted', r.agent_id, r.id, '{"decision": "noted"}' from pg_temp.run(:'w') as r;
select testing.advance('1 second');
select pg_temp.end_with(:'w', '{"decisions": ["said"]}');
select is(
  pg_temp.under('Recent decisions', (pg_temp.summary(:'scope')).content),
  E'- 2035-01-10: said\n- 2035-01-10: noted\n- 2035-01-10: d\n- 2035-01-10: c\n- 2035-01-10: b', 'C5: … and what the agent noted while it ran'
);

-- Blockers and what happened, and the next action that follows from it

select pg_temp.scenario('blockers', 'ann', 'bob', 'cat');
select pg_temp.task('open one', 'cat') as t1 \gset
select is(pg_temp.under('Next action', pg_temp.round('{}')), E'Dispatch the next open task.\n', 'C5: open tasks → dispatch the next');
select pg_temp.wake('bob') as w2 \gset
select office.set_setting('max_retry_count', '0', 'blockers');
select testing.advance('1 minute');
select pg_temp.claim();
select pg_temp.fail(:'w2', 'broke');
select is(pg_temp.under('Next action', pg_temp.round('{}')), E'Triage the runs that failed.\n', 'C5: failed runs since → triage');
select pg_temp.wake('ann') as w1 \gset
select testing.advance('1 minute');
select pg_temp.claim();
select pg_temp.fail(:'w1', 'broke');
select pg_temp.round('{}') as content \gset
select is(pg_temp.under('Next action', :'content'), E'Look into why the run before this one failed.\n', 'C5: the scope''s run before this one failed → look into it');
select matches(pg_temp.under('Active focus', :'content'), 'runs failed: 1, tasks open: 1, agent errors: 1 since', 'C5: activity: failed runs, open tasks, agent errors since the last summary');
select is(pg_temp.under('Active focus', pg_temp.round('{}')) like '%failed%', false, 'C5: … each told once');
select testing.advance('1 minute');
insert into office.inbox_items (workspace_id, kind, title, dedup_key)
select w.id, 'budget.alert', 'Nearly spent', 'b' from office.workspaces as w where w.name = 'blockers';
select testing.advance('1 minute');
select is(pg_temp.under('Active focus', pg_temp.round('{}')) like '%budget signals: 1%', true, 'C5: … budget signals');
select pg_temp.task('needs "it" first', 'cat', array[:'t1']) as t2 \gset
select pg_temp.task('alone', 'cat') as t3 \gset
update office.tasks set state = 'in_progress' where 't' || number in (:'t2', :'t3');
update office.tasks set state = 'blocked' where 't' || number = :'t2';
select testing.advance('1 day');
update office.tasks set state = 'blocked' where 't' || number = :'t3';
select pg_temp.round('{"decisions": []}') as content \gset
select is(
  pg_temp.under('Open blockers', :'content'),
  format(E'- %s "alone", since 2035-01-16; somebody must say how it goes on\n- %s "needs \\"it\\" first", since 2035-01-15; waits for %s, todo', :'t3', :'t2', :'t1'),
  'C5: blocked tasks, the newest first, with what would unblock them and since when'
);
select is(pg_temp.under('Next action', :'content'), E'Resolve the open blockers first.\n', 'C5: blockers → resolve them first');
select office.create_task('b' || n, assignee => 'cat', workspace => 'blockers') from generate_series(1, 12) as n;
update office.tasks set state = 'in_progress' where title ~ '^b\d+$' and workspace_id = (pg_temp.run(:'w1')).workspace_id;
update office.tasks set state = 'blocked' where title ~ '^b\d+$' and workspace_id = (pg_temp.run(:'w1')).workspace_id;
select is((select count(*)::integer from string_to_table(pg_temp.under('Open blockers', pg_temp.round('{}')), E'\n')), 10, 'C5: at most ten');

-- Caps

select pg_temp.round(jsonb_build_object('summary', repeat('😀', 5000), 'next_action', repeat('ü', 5000), 'decisions', (select jsonb_agg(repeat('€', 3000)) from generate_series(1, 9)))) as content \gset
select cmp_ok(octet_length(:'content'), '<=', 8192, 'C4, sc-X4: at most 8 KB, whatever the result');
select cmp_ok(octet_length(:'content'), '>', 5000, 'C4: … of which it makes use');
select is((select array_agg(m[1]) from regexp_matches(:'content', '^## (.*)$', 'gn') as m), array['Active focus', 'Open blockers', 'Recent decisions', 'Next action'], 'C5: always four sections, in order');
select is(
  array(select octet_length(office_internal.clip('ab😀' || repeat('x', 9), n)) from generate_series(1, 8) as n), array[1, 2, 2, 2, 2, 6, 7, 8],
  'C4, sc-X4: cut between characters'
);
-- The naive cut (K13)
select throws_like(
  $$ select convert_from(substr(convert_to(repeat('a', 8190) || '😀', 'UTF8'), 1, 8192), 'UTF8') $$, '%invalid byte sequence%',
  'K13: a cut by bytes alone would cut a character in two'
);
select is(octet_length(office_internal.clip(repeat('a', 8190) || '😀', 8192)), 8190, 'sc-X4: an emoji at byte 8192 is not cut in two');

-- The same bytes again, and a builder that fails

select (pg_temp.summary('agent:' || (pg_temp.run(:'w1')).agent_id)).* \gset was_
select office_internal.write_summaries(array[:'was_updated_by_run_id'::uuid]);
select is((pg_temp.summary('agent:' || (pg_temp.run(:'w1')).agent_id))::text, (select s::text from office.continuation_summaries as s where s.agent_id = :'was_agent_id'), 'there is one');
select is((pg_temp.summary('agent:' || (pg_temp.run(:'w1')).agent_id)).content, :'was_content', 'C4, C5, sc-X4: built again for its run it is the same');
select is((pg_temp.summary('agent:' || (pg_temp.run(:'w1')).agent_id)).previous_content, :'was_previous_content', 'C4: … and so is what stood before');

create function pg_temp.refuse_summary() returns trigger language plpgsql as $$
begin
  raise exception 'the builder fails' using errcode = 'P0001';
end
$$;
create trigger refuse_summary before insert or update on office.continuation_summaries
for each row when (new.content like '%poison%') execute function pg_temp.refuse_summary();
select pg_temp.wake('ann') as w1 \gset
select pg_temp.wake('bob') as w2 \gset
select pg_temp.claim();
select office.finish_attempts(jsonb_build_array(
  jsonb_build_object('attempt_id', pg_temp.attempt(:'w1'), 'result', '{"summary": "poison"}'::jsonb),
  jsonb_build_object('attempt_id', pg_temp.attempt(:'w2'), 'result', '{"summary": "healthy"}'::jsonb)
));
select is(array[(pg_temp.run(:'w1')).result, (pg_temp.run(:'w2')).result], array['succeeded', 'succeeded'], 'C5: a builder that fails leaves the run finished');
select is((pg_temp.summary('agent:' || (pg_temp.run(:'w1')).agent_id)).content, :'was_content', 'C5: … and the last good summary');
select is(split_part((pg_temp.summary('agent:' || (pg_temp.run(:'w2')).agent_id)).content, E'\n', 2), 'healthy', 'C5: … and others of the same call have theirs');
select is(
  (select array_agg(v.detail ->> 'error') from office.activity as v where v.kind = 'summary_failed' and v.run_id = (pg_temp.run(:'w1')).id),
  array['the builder fails'], 'C5: … and says so'
);

select is_empty('select * from office.audit()', 'Q26: the books are in order');
select * from finish();
rollback;
