-- S6: 60 active minutes, 40 model turns, 200 tool calls an attempt, each its own setting: a limit reached ends the run blocked, with which
-- one and an inbox item; it is not repeated by itself.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/deciding.psql
select plan(29);

-- So many steps of these kinds, behind those that are there.
create function pg_temp.takes(wakeup uuid, variadic kinds text[])
returns integer
language sql
as $$
  select office.record_steps(pg_temp.attempt(wakeup), jsonb_agg(jsonb_build_object(
    'sequence', (select count(*) from office.attempt_steps as s where s.attempt_id = pg_temp.attempt(wakeup)) + k.nth, 'kind', k.kind, 'content', 'x'
  )))
  from unnest(kinds) with ordinality as k (kind, nth)
$$;
-- What the heartbeat says of it.
create function pg_temp.told(wakeup uuid)
returns text
language sql
as $$
  select concat_ws(' ', h.instruction, h.detail ->> 'reason')
  from office.heartbeat(current_setting('testing.worker')::uuid, array[pg_temp.attempt(wakeup)]) as h
$$;
create function pg_temp.runs_of(agent text)
returns uuid
language plpgsql
as $$
declare
  v_wakeup uuid := pg_temp.wake(agent);
begin
  perform pg_temp.claim();
  perform pg_temp.start(v_wakeup);
  return v_wakeup;
end
$$;

select pg_temp.scenario('limits', 'ann', 'bob', 'cis', 'dan', 'eve');
select results_eq(
  $$ select d.key, d.default_value from office.setting_definitions as d where d.key in ('attempt_minutes', 'attempt_turns', 'attempt_tool_calls') order by 1 $$,
  $$ values ('attempt_minutes', '60'), ('attempt_tool_calls', '200'), ('attempt_turns', '40') $$, 'S6: each its own setting'
);
select office.set_setting('attempt_turns', '3', 'limits'), office.set_setting('attempt_tool_calls', '5', 'limits');

-- Turns
select pg_temp.runs_of('ann') as w \gset
select pg_temp.takes(:'w', 'reasoning', 'message', 'tool_call', 'output', 'tool_result', 'message', 'usage', 'message', 'message');
select is(pg_temp.told(:'w'), null, 'S6: three turns are three: what the model says in one go, up to what it is answered');
select pg_temp.takes(:'w', 'output', 'error', 'note', 'message');
select is(pg_temp.told(:'w'), null, 'S6: what the program prints beside it makes no turn');
select pg_temp.takes(:'w', 'tool_call', 'tool_result', 'reasoning');
select is(pg_temp.told(:'w'), 'stop It reached its limit of 3 model turns.', 'S6: the fourth is one too many: the heartbeat asks its worker to stop it');
select is((pg_temp.run(:'w')).status, 'running', 'S6: … until then it runs');
select is(pg_temp.fail(:'w', 'It was stopped.'), 'blocked', 'S6: its end is blocked, whatever the worker says of it');
select is((pg_temp.run(:'w')).retry_count || coalesce((pg_temp.run(:'w')).scheduled_retry_at::text, ''), '0', 'S6: … and not repeated by itself');
select is((select a.error || ', ' || a.outcome from office.attempts as a where a.id = pg_temp.attempt(:'w')), E'It reached its limit of 3 model turns.\nIt was stopped., blocked', 'S6: the attempt says which');
select is(
  (select i.kind || ': ' || i.body from office.inbox_items as i where i.run_id = (pg_temp.run(:'w')).id),
  format(
    E'run.blocked: It reached its limit of 3 model turns.\nIt was stopped.\nLeave it, or give it more (select office.set_setting(''attempt_turns'', ''6'', ''limits'');), then: select * from office.retry_run(''r%s'');',
    (pg_temp.run(:'w')).number
  ), 'S6: an inbox item offers a new limit, or to leave it'
);

-- A retry counts anew, by the new limit
select office.set_setting('attempt_turns', '6', 'limits');
select office.retry_run('r' || (pg_temp.run(:'w')).number);
select is(pg_temp.claim(), 'ann:user', 'S6, P4: a person lets it go on');
select pg_temp.start(:'w');
select pg_temp.takes(:'w', 'message', 'usage', 'message', 'usage', 'message', 'usage', 'message');
select is(pg_temp.told(:'w'), null, 'S6: … with a new limit, of one attempt');
select is(pg_temp.finish(:'w'), 'succeeded', 'S6: … and it ends well');

-- Tool calls
select pg_temp.runs_of('bob') as w \gset
select pg_temp.takes(:'w', 'tool_call', 'tool_call', 'tool_call', 'tool_call', 'tool_call', 'tool_result');
select is(pg_temp.told(:'w'), null, 'S6: five tool calls are five');
select is(pg_temp.takes(:'w', 'tool_call'), 1, 'S6: the sixth is recorded as well');
select is(pg_temp.told(:'w'), 'stop It reached its limit of 5 tool calls.', 'S6: … and one too many');
select pg_temp.takes(:'w', 'tool_call');
select is((select count(*)::integer from office.heartbeat(current_setting('testing.worker')::uuid, array[pg_temp.attempt(:'w')])), 1, 'S6: said once a beat');
select is(pg_temp.finish(:'w'), 'succeeded', 'S6: what ended well before it was stopped has ended well');

-- The executor's own
select office.update_agent('limits/cis', '{"executor": {"command": ["/bin/true"], "limits": {"turns": 1, "tool_calls": 50}}}');
select pg_temp.look();
select pg_temp.wake('cis') as w \gset
select is(
  (select l.limits ->> 'turns' || ' ' || (l.limits ->> 'tool_calls') || ' ' || (l.limits ->> 'minutes') from office.claim_runs(current_setting('testing.worker')::uuid, 1) as l where l.run_id is not null),
  '1 50 60', 'S6: the launch says how much; an executor''s own limits come first'
);
select pg_temp.start(:'w');
select pg_temp.takes(:'w', 'message', 'usage', 'message');
select is(pg_temp.told(:'w'), 'stop It reached its limit of 1 model turns.', 'S6: … and are what counts');

-- A stop that a person asked for is a stop
select office.stop('r' || (pg_temp.run(:'w')).number);
select is(pg_temp.fail(:'w', 'It was stopped.'), 'stopped', 'P2: a person''s stop ends it cancelled all the same');

-- Minutes are the worker's to count (Q22): it says that they are over
select pg_temp.runs_of('dan') as w \gset
select is(pg_temp.fail(:'w', 'It ran for 60 minutes, its limit.', 'limit'), 'blocked', 'S6: minutes');
select matches(
  (select i.body from office.inbox_items as i where i.run_id = (pg_temp.run(:'w')).id), 'It ran for 60 minutes, its limit\.\nLeave it, or give it more \(select key.*retry_run', 'S6: … with the settings to give it more'
);

-- Not of others
select pg_temp.runs_of('eve') as w \gset
select pg_temp.takes(:'w', 'output', 'output', 'output', 'output', 'output', 'output', 'output', 'output', 'error', 'note');
select is(pg_temp.told(:'w'), null, 'S6: a program that reports no turns has none');
-- Minutes: those of all its launches, and none of those that it waits for a person.
select pg_temp.scenario('minutes', 'ann');
create function pg_temp.worked()
returns text
language sql
as $$
  select string_agg(l.limits ->> 'worked_seconds', ' ') from office.claim_runs(current_setting('testing.worker')::uuid, 5) as l where l.run_id is not null
$$;
select pg_temp.running('ann') as w \gset
select testing.advance('10 minutes');
select (pg_temp.ask(:'w')).decision as d \gset
select testing.advance('2 hours');
select office.answer(:'d', 'yes');
select testing.advance('5 minutes');
select (pg_temp.ask(:'w', 'And now?')).decision as d \gset
select testing.advance('1 hour');
select pg_temp.leave(:'w');
select testing.advance('1 hour');
select office.answer(:'d', 'yes');
select testing.advance('1 hour');
select is(pg_temp.worked(), '900.000', 'S6: the next launch is told what the last worked: 10 minutes and 5, and no wait');
select pg_temp.start(:'w');
select testing.advance('90 seconds');
select (pg_temp.ask(:'w', 'Once more?')).decision as d \gset
update office.decisions set status = 'answered', choice = 'no' where 'd' || number = :'d';
select testing.advance('30 seconds');
select is(pg_temp.leave(:'w'), 'queued', 'D9: it ends before it was told');
select testing.advance('1 hour');
select is(pg_temp.worked(), '1020.000', 'S6: … and has worked up to there');
select pg_temp.start(:'w');
select is(pg_temp.finish(:'w'), 'succeeded', 'S6: it ends as any other');
select pg_temp.wake('ann');
select is(pg_temp.worked(), null, 'S6: a new attempt has worked for nothing yet');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
