-- Q27: what agents cause one another comes to an end, and what persons want does not. sc-X10
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(42);

-- A comment that mentions an agent, made from inside a run, as the dispatch wakes for it: the cause's depth + 1.
create function pg_temp.mention(agent text, from_wakeup uuid, task text)
returns uuid
language sql
as $$
  select s.wakeup_id
  from office.agents as a
  join office.workspaces as w on w.id = a.workspace_id and w.name = current_setting('testing.workspace')
  cross join lateral (select pg_temp.run(from_wakeup) as run) as c
  cross join lateral (select jsonb_populate_record(null::office.wakeups, jsonb_build_object(
    'id', office.uuid7(), 'workspace_id', w.id, 'agent_id', a.id, 'source', 'comment', 'class', 'event', 'solo', false,
    'addresses', 'mentioned', 'task_id', pg_temp.task_id(mention.task),
    'payload', jsonb_build_object('task_id', pg_temp.task_id(mention.task), 'comment_id', office.uuid7()),
    'idempotency_key', format('comment:%s:%s', office.uuid7(), a.id),
    'depth', (c.run).depth + 1, 'attempt_id', (c.run).attempt_id, 'requested_at', office.now()
  )) as wakeup) as r
  cross join lateral office_internal.store_requests(array[r.wakeup]) as s
  where a.name = mention.agent
$$;

-- sc-X10: each mention is answered by a mention; a person began it.
create function pg_temp.ping_pong(first text, second text, task text, most integer)
returns table (launches integer, last uuid)
language plpgsql
as $$
declare
  v_agents text[] := array[first, second];
  v_next uuid;
begin
  last := pg_temp.wake(first, 'comment', pg_temp.about(task, jsonb_build_object('comment_id', office.uuid7())));
  for v_turn in 1..most loop
    launches := v_turn - 1;
    exit when pg_temp.claim() = '';
    launches := v_turn;
    perform pg_temp.start(last);
    v_next := pg_temp.mention(v_agents[1 + v_turn % 2], last, task);
    perform pg_temp.finish(last);
    last := v_next;
    perform testing.advance('3 minutes');
  end loop;
  return next;
end
$$;

select pg_temp.scenario('pingpong', 'ann', 'bob');
select pg_temp.task('talk of it') as task \gset
select launches, last from pg_temp.ping_pong('ann', 'bob', :'task', 60) \gset
select is(:launches, 21, 'Q27, sc-X10: a ping-pong of mentions stops: depths 0 to 20 are launched');
select is((pg_temp.wakeup(:'last')).status || '/' || (pg_temp.wakeup(:'last')).reason, 'skipped/loop_guard', 'Q27, sc-X10: … what comes deeper is skipped');
select is((pg_temp.wakeup(:'last')).depth, 21, 'Q27: … and carries its depth');
select is((pg_temp.wakeup(:'last')).run_id, null, 'Q27: … without a run');
select is((select f.result from office.result(:'last') as f), 'loop_guard', 'Q10: result says why');
select is((select s.settled and not s.succeeded from office.settled(:'last') as s), true, 'Q10: … and that nothing more comes of it');
select is((select w.event || ': ' || w.detail from office.why(:'last') as w), 'woken: comment, skipped: loop_guard', 'I9: why tells it');
select is((select count(*) from office.inbox_items as i where i.kind = 'agent.loop'), 1::bigint, 'Q27, sc-X10: one inbox item');
select is(
  (select string_agg(v.detail ->> 'depth', ' ') from office.activity as v where v.kind = 'wakeup_skipped'), '21', 'Q27: activity of the skipped wake'
);
select pg_temp.wake('bob') as persons \gset
select is(pg_temp.claim(), 'bob:user', 'Q27, sc-X10: a person''s wake still passes');
select pg_temp.mention('ann', :'persons', :'task') as again \gset
select pg_temp.finish(:'persons');
select is(pg_temp.claim(), 'ann:comment', 'Q27: … and what it causes begins anew');
select pg_temp.finish(:'again');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- The depth is of the cause, whatever way it comes: agents that make tasks for one another, by their tokens (X2).
create role tester_gate login;
grant office_client to tester_gate;
insert into office_internal.gateways (login, kind) values ('tester_gate', 'token');
create function pg_temp.tasks(most integer)
returns integer
language plpgsql
as $$
declare
  v_launch record;
begin
  for v_turn in 1..most loop
    select c.* into v_launch from office.claim_runs(current_setting('testing.worker')::uuid, 1) as c where c.run_id is not null;
    if not found then
      return v_turn - 1;
    end if;
    set local session authorization tester_gate;
    perform office.act_with(v_launch.token);
    perform office.create_task('more', assignee => case v_launch.agent when 'ann' then 'bob' else 'ann' end);
    reset session authorization;
    set local office.acting = '';
    perform office.finish_attempt(v_launch.attempt_id);
  end loop;
  return most;
end
$$;
select pg_temp.scenario('delegation', 'ann', 'bob');
select pg_temp.task('delegate it', 'ann');
select is(pg_temp.tasks(60), 21, 'Q27: agents that give one another tasks come to the same end');
select is(
  (select string_agg(w.status, ' ') from office.wakeups as w join office.agents as a on a.id = w.agent_id
    join office.workspaces as o on o.id = a.workspace_id where o.name = 'delegation' and w.depth > 20),
  'skipped', 'Q27: … the dispatch skips what the signals carry too deep'
);
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- max_runs_per_hour

select pg_temp.scenario('often', 'ann', 'bob', 'cat');
select office.set_setting('max_runs_per_hour', '3', 'often');
-- Every ten minutes a launch; a routine's tick is nobody's wish.
create function pg_temp.tick(agent text, minute integer)
returns uuid
language sql
as $$
  select pg_temp.wake(tick.agent, 'routine', jsonb_build_object('routine_id', '00000000-0000-7000-8000-000000000001'), 'tick-' || agent || minute)
$$;
create function pg_temp.ticks(agent text, numbers integer, first integer default 0)
returns text
language plpgsql
as $$
declare
  v_said text := '';
  v_tick uuid;
begin
  for v_nth in 1..numbers loop
    v_tick := pg_temp.tick(agent, first + v_nth);
    perform pg_temp.claim();
    v_said := concat_ws(' ', nullif(v_said, ''), coalesce((pg_temp.run(v_tick)).status, (pg_temp.wakeup(v_tick)).reason));
    if (pg_temp.run(v_tick)).status = 'claimed' then
      perform pg_temp.finish(v_tick);
    end if;
    perform testing.advance('10 minutes');
  end loop;
  return v_said;
end
$$;
select is(pg_temp.ticks('ann', 3), 'claimed claimed claimed', 'Q27: three launches in half an hour');
select is(pg_temp.ticks('ann', 3, 10), 'loop_guard loop_guard loop_guard', 'Q27: no fourth within the hour');
select is((select count(*) from office.inbox_items as i where i.kind = 'agent.loop' and i.title = 'ann wakes too often'
  and i.workspace_id = (select w.id from office.workspaces as w where w.name = 'often')), 1::bigint, 'Q27: … and one inbox item');
select matches(
  (select i.body from office.inbox_items as i where i.kind = 'agent.loop'
    and i.workspace_id = (select w.id from office.workspaces as w where w.name = 'often')),
  'launched 3 times within an hour \(setting max_runs_per_hour\).*office.wake\(''often/ann''\)', 'Q27: … which says why, and how to go on'
);
select is(pg_temp.ticks('ann', 1, 20), 'claimed', 'Q27: the first launch is an hour ago: one more');
select is(pg_temp.ticks('bob', 1), 'claimed', 'Q27: other agents go on');

-- Persons are exempt, by whatever source: user, comment, manual fire; an agent's comment is not a person's.
select is(pg_temp.ticks('cat', 3), 'claimed claimed claimed', 'Q27: three launches of another');
select pg_temp.task('cats') as cats \gset
select pg_temp.tick('cat', 31) as ticked \gset
select pg_temp.look();
select pg_temp.wake('cat', 'comment', pg_temp.about(:'cats', jsonb_build_object('comment_id', office.uuid7()))) as commented \gset
select pg_temp.wake('cat') as wanted \gset
select pg_temp.wake('cat', 'routine', '{"routine_id": "00000000-0000-7000-8000-000000000002", "fire": "manual"}') as fired \gset
select pg_temp.look();
select is((pg_temp.wakeup(:'ticked')).status, 'skipped', 'Q27: the tick is skipped');
select is((pg_temp.wakeup(:'commented')).status, 'claimed', 'Q27: a person''s comment is not');
select is((pg_temp.wakeup(:'fired')).status, 'claimed', 'Q27: … nor a manual fire');
select is((pg_temp.wakeup(:'wanted')).run_id is not null, true, 'Q27: … nor a wake by hand');
select pg_temp.wake('bob') as bobs \gset
select pg_temp.claim();
select pg_temp.mention('cat', :'bobs', :'cats') as mentioned \gset
select pg_temp.look();
select is((pg_temp.wakeup(:'mentioned')).status, 'skipped', 'Q27: … and is skipped: its source is a person''s, its cause is not');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- What merges is one launch; what was settled without a launch is none; a retry of a run is the same run.
select pg_temp.scenario('merged', 'ann');
select office.set_setting('max_runs_per_hour', '2', 'merged');
select pg_temp.tick('ann', n) from generate_series(1, 10) as n;
select is(pg_temp.claim(), 'ann:routine', 'Q27: ten ticks merge into one run');
select is((select count(*) from office.wakeups as w join office.workspaces as o on o.id = w.workspace_id where o.name = 'merged' and w.status = 'skipped'), 0::bigint, 'Q27: … and none is skipped');
select pg_temp.tick('ann', 11) as joins \gset
select pg_temp.look();
select is((pg_temp.wakeup(:'joins')).status, 'coalesced', 'Q27: … nor one that joins the live run');
select office.finish_attempt(a.id) from office.attempts as a where a.ended_at is null;
select testing.advance('1 minute');
select is(pg_temp.ticks('ann', 2, 12), 'claimed loop_guard', 'Q27: the run under way counted as one launch');
select is(office_internal.count_launches(w.id, a.id, office.now() - interval '1 hour', 100), 2, 'Q27: launches are counted, by agent')
from office.workspaces as w join office.agents as a on a.workspace_id = w.id where w.name = 'merged';
select is(office_internal.count_launches(w.id, a.id, office.now() - interval '1 hour', 1), 1, 'Q27: … no further than asked')
from office.workspaces as w join office.agents as a on a.workspace_id = w.id where w.name = 'merged';
select is(office_internal.count_launches(w.id, a.id, office.now(), 100), 0, 'Q27: … since a time')
from office.workspaces as w join office.agents as a on a.workspace_id = w.id where w.name = 'merged';

-- A new hour, a new inbox item, also where the last one was closed; not before.
update office.inbox_items set closed_at = office.now() where kind = 'agent.loop';
select office.set_setting('max_runs_per_hour', '1', 'merged');
select testing.advance('1 minute');
select is(pg_temp.ticks('ann', 1, 30), 'loop_guard', 'Q27: skipped again');
select is((select count(*) from office.inbox_items as i join office.workspaces as w on w.id = i.workspace_id where w.name = 'merged'), 1::bigint, 'Q27: … with no second item in the hour, closed or not');
select testing.advance('2 hours');
select is(pg_temp.ticks('ann', 2, 40), 'claimed loop_guard', 'Q27: later, the same');
select is((select count(*) from office.inbox_items as i join office.workspaces as w on w.id = i.workspace_id where w.name = 'merged'), 2::bigint, 'Q27: … with an item of its own');

-- The least that is set anywhere is nobody else's.
select pg_temp.scenario('elsewhere', 'ann');
select is(pg_temp.ticks('ann', 3), 'claimed claimed claimed', 'Q27: another workspace keeps its own number');
select is((pg_temp.refusal($$ select office.set_setting('max_runs_per_hour', '0', 'merged') $$)).state, 'PT422', 'J4: at least one');
select is_empty('select * from office.audit()', 'Q26: the books are right');

select * from finish();
rollback;
