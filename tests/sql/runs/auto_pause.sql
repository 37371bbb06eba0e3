-- Q23, sc-W22: three runs in a row that gave up pause their agent; a success resets; what never reached the agent does not count.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
select plan(40);

create function pg_temp.gives_up(agent text, error text default 'exit 1', started boolean default true)
returns text
language plpgsql
as $$
declare
  v_wakeup uuid := pg_temp.wake(agent);
begin
  perform pg_temp.claim();
  if started then
    perform pg_temp.start(v_wakeup);
  end if;
  return pg_temp.fail(v_wakeup, error);
end
$$;
create function pg_temp.succeeds(agent text)
returns text
language plpgsql
as $$
declare
  v_wakeup uuid := pg_temp.wake(agent);
begin
  perform pg_temp.claim();
  perform pg_temp.start(v_wakeup);
  return pg_temp.finish(v_wakeup);
end
$$;
create function pg_temp.agent(name text)
returns text
language sql
as $$
  select concat_ws(' ', a.status, a.paused_by, a.status_reason) || case when l.open then ' open' else '' end
  from office.agents as a
  join office_internal.lanes as l on l.agent_id = a.id
  join office.workspaces as w on w.id = a.workspace_id and w.name = current_setting('testing.workspace')
  where a.name = agent.name
$$;

-- Three in a row

select pg_temp.scenario('three', 'ann', 'boss');
select office.update_agent('three/boss', '{"role": "ceo"}'), office.set_setting('max_retry_count', '0', 'three');
select office.update_agent('three/ann', '{"max_concurrent_sessions": 3}');
select pg_temp.message('ann') as live \gset
select pg_temp.claim();
select pg_temp.start(:'live');
select is(pg_temp.gives_up('ann') || pg_temp.gives_up('ann'), 'failedfailed', 'Q23: two give up');
select is(pg_temp.agent('ann'), 'active open', 'Q23, sc-W22: … and nothing comes of it');
select pg_temp.wake('ann') as last \gset
select pg_temp.claim();
select pg_temp.start(:'last');
select is(pg_temp.fail(:'last', 'exit 1: the third'), 'failed', 'Q23: the third');
select is(pg_temp.agent('ann'), 'active', 'A6: the lane closes at once, before the agent''s row says so');
select pg_temp.wake('ann') as waiting \gset
select is(pg_temp.claim(), '', 'Q23, A6: nothing more of it is claimed');
select office.update_agent('three/ann', '{"instructions": "be careful"}');
select pg_temp.look();
select is(pg_temp.agent('ann'), 'active', 'A6: a change of the agent''s row meanwhile does not open it');
select is(office.carry_out() > 0, true, 'A6: officectl carries it out');
select is(pg_temp.agent('ann'), 'paused failures Auto-paused: 3 runs in a row gave up', 'Q23, sc-W22: the agent is paused, with the reason');
select pg_temp.look();
select is(pg_temp.claim(), '', 'Q23: … and stays so');
select is((pg_temp.run(:'waiting')).status || ' ' || (pg_temp.run(:'live')).status, 'queued running', 'P1: what waits stays queued, and what runs goes on');
select is(
  (select f.reason from office.waiting_for((pg_temp.run(:'waiting')).id) as f limit 1), 'ann is paused: Auto-paused: 3 runs in a row gave up', 'S5: … and says why it waits'
);
select is(
  (select i.title from office.inbox_items as i where i.kind = 'agent.paused' and i.closed_at is null), 'ann is paused. Auto-paused: 3 runs in a row gave up', 'Q18, Q23: people get an inbox item'
);
select is(
  (select count(*)::integer || ' ' || max(w.payload ->> 'error') from office.wakeups as w where w.idempotency_key = 'agent_error:' || (pg_temp.run(:'last')).id),
  E'1 exit 1: the third\nAuto-paused: 3 runs in a row gave up', 'Q18, Q23: … and the one who leads hears of it'
);
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- A person resumes it
select office.resume('three/ann');
select is(pg_temp.claim(), 'ann:user', 'Q23: after a person''s resume it works again');
select is((select count(*)::integer from office.inbox_items as i where i.kind = 'agent.paused' and i.closed_at is null), 0, 'Q23: … the inbox item is closed');
select pg_temp.start(:'waiting');
select pg_temp.fail(:'waiting');
select pg_temp.gives_up('ann');
select office.carry_out();
select is(pg_temp.agent('ann'), 'active open', 'Q23: … and counts anew');
select pg_temp.gives_up('ann');
select office.carry_out();
select is(pg_temp.agent('ann'), 'paused failures Auto-paused: 3 runs in a row gave up', 'Q23: … up to three again');

-- A success between

select pg_temp.scenario('success', 'ann');
select office.set_setting('max_retry_count', '0', 'success');
select pg_temp.gives_up('ann'), pg_temp.gives_up('ann');
select is(pg_temp.succeeds('ann'), 'succeeded', 'Q23: a success');
select pg_temp.gives_up('ann'), pg_temp.gives_up('ann');
select office.carry_out();
select is(pg_temp.agent('ann'), 'active open', 'Q23, sc-W22: … between resets');
select pg_temp.gives_up('ann');
select office.carry_out();
select is(pg_temp.agent('ann'), 'paused failures Auto-paused: 3 runs in a row gave up', 'Q23: … and three after it pause');

-- What never reached the agent

select pg_temp.scenario('never', 'ann');
select office.set_setting('max_retry_count', '0', 'never');
select pg_temp.gives_up('ann', started => false) from generate_series(1, 4);
select office.carry_out();
select is(pg_temp.agent('ann'), 'active open', 'Q23, sc-W22: failures before the program started do not count');
select pg_temp.gives_up('ann', 'API Error: 429 rate limit exceeded') from generate_series(1, 4);
select office.carry_out();
select is(pg_temp.agent('ann'), 'active open', 'Q23: … nor what its provider turned away: a weekly limit is no fault of the agent''s');
do $$
declare
  v_wakeup uuid;
begin
  for n in 1..4 loop
    v_wakeup := pg_temp.wake('ann');
    perform pg_temp.claim();
    perform pg_temp.fail(v_wakeup, 'no such program', 'configuration');
  end loop;
end
$$;
select office.carry_out();
select is(pg_temp.agent('ann'), 'active open', 'Q23: … nor faults of configuration');
select pg_temp.gives_up('ann'), pg_temp.gives_up('ann', started => false), pg_temp.gives_up('ann');
select office.carry_out();
select is(pg_temp.agent('ann'), 'active open', 'Q23: … and they neither count nor reset');
select pg_temp.gives_up('ann');
select office.carry_out();
select is(pg_temp.agent('ann'), 'paused failures Auto-paused: 3 runs in a row gave up', 'Q23: three around them pause');

-- Retries of one run are one

select pg_temp.scenario('retries', 'ann');
select pg_temp.wake('ann') as w \gset
do $$
declare
  v_wakeup uuid := (select w.id from office.wakeups as w join office.workspaces as s on s.id = w.workspace_id where s.name = 'retries');
begin
  for n in 1..5 loop
    perform pg_temp.claim();
    perform pg_temp.start(v_wakeup);
    perform pg_temp.fail(v_wakeup);
    perform testing.advance('3 hours');
  end loop;
end
$$;
select office.carry_out();
select is((pg_temp.run(:'w')).status || ' ' || pg_temp.agent('ann'), 'failed active open', 'Q23: five failures of one run are one that gave up');

-- How many

select pg_temp.scenario('settings', 'ann', 'bob', 'cis');
select office.set_setting('max_retry_count', '0', 'settings'), office.set_setting('auto_pause_after', '2', 'settings');
select office.update_agent('settings/bob', '{"auto_pause_after": 1}'), office.update_agent('settings/cis', '{"auto_pause_after": 0}');
select pg_temp.gives_up('ann');
select pg_temp.gives_up('bob');
select pg_temp.gives_up('cis') from generate_series(1, 5);
select office.carry_out();
select is(pg_temp.agent('ann'), 'active open', 'Q23: auto_pause_after of the workspace: not yet');
select is(pg_temp.agent('bob'), 'paused failures Auto-paused: 1 run in a row gave up', 'Q23: … of the agent');
select is(pg_temp.agent('cis'), 'active open', 'Q23: … 0: never');
select pg_temp.gives_up('ann');
select office.carry_out();
select is(pg_temp.agent('ann'), 'paused failures Auto-paused: 2 runs in a row gave up', 'Q23: … of the workspace');

-- Others were faster

select pg_temp.scenario('faster', 'ann', 'bob');
select office.set_setting('max_retry_count', '0', 'faster'), office.set_setting('auto_pause_after', '1', 'faster');
select pg_temp.gives_up('ann'), pg_temp.gives_up('bob');
select office.pause('faster/ann', 'holiday');
update office.agents set status = 'stopped' where name = 'bob' and workspace_id = (select id from office.workspaces where name = 'faster');
select is(office.carry_out(), 2, 'A6: a change that is no longer so is dropped');
select is(pg_temp.agent('ann') || ', ' || pg_temp.agent('bob'), 'paused person holiday, stopped', 'A6: … and a person''s pause and stop stand');
select set_eq(
  $$ select v.detail ->> 'kind' as kind, v.detail ->> 'reason' as reason from office.activity as v join office.workspaces as w on w.id = v.workspace_id where w.name = 'faster' and v.kind = 'change_dropped' $$,
  $$ values ('pause_agent', 'it is no longer so') $$, 'A6: … with activity'
);
select office.resume('faster/ann');
select pg_temp.look();
select is(pg_temp.agent('ann'), 'active open', 'Q23: … until a resume');

-- Somebody's trigger refuses it: the lane opens again
select pg_temp.scenario('refused', 'ann');
select office.set_setting('max_retry_count', '0', 'refused'), office.set_setting('auto_pause_after', '1', 'refused');
create function pg_temp.never() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$;
create trigger never before update on office.agents for each row when (new.status = 'paused') execute function pg_temp.never();
select pg_temp.gives_up('ann');
select is(pg_temp.agent('ann'), 'active', 'A6: closed ahead');
select office.carry_out();
drop trigger never on office.agents;
select pg_temp.look();
select is(pg_temp.agent('ann'), 'active open', 'A6: … and opened again when the row may not follow');

-- A deleted agent's is dropped
select pg_temp.gives_up('ann');
update office.agents set deleted_at = office.now() where name = 'ann' and workspace_id = (select id from office.workspaces where name = 'refused');
select pg_temp.look();
select lives_ok('select office.carry_out()', 'A6: a deleted agent''s pause holds up nothing');
select is((select count(*)::integer from office_internal.changes), 0, 'A6: … and nothing is left');
select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
