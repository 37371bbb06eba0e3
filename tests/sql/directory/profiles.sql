-- T13, X7, Q13.8, Q25: profiles that launch, and profiles that choose; what a run freezes; what is on hold makes way; failing closed.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/providers.psql
select plan(40);

create function pg_temp.code(statement text) returns text language sql
as $$
  select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r where r.hint <> ''
$$;
create function pg_temp.bound(agent text, profile text) returns void language sql
as $$ select office.update_agent(agent, jsonb_build_object('executor', null, 'profile', profile)) $$;
-- What the next launch of an agent launches: 'opus/high'.
create function pg_temp.launches(agent text) returns text language sql
as $$
  select concat_ws('/', c.executor ->> 'model', c.executor ->> 'effort', c.executor ->> 'context_window')
  from office.claim_runs(current_setting('testing.worker')::uuid, 1) as c
  where c.agent = launches.agent
$$;
create function pg_temp.fails(agent text, error text) returns void language plpgsql
as $$
declare
  v_attempt uuid := (
    select r.attempt_id from office.runs as r join office.agents as a on a.id = r.agent_id where a.name = fails.agent and r.status = 'claimed'
  );
begin
  perform office.start_attempt(v_attempt);
  perform office.fail_attempt(v_attempt, error);
end
$$;
create function pg_temp.ends() returns void language sql
as $$ select office.finish_attempt(e.id) from office.attempts as e where e.ended_at is null $$;

select pg_temp.scenario('tiers', 'ann', 'bob');
select pg_temp.at('tiers');

-- What a profile can be.
select is(pg_temp.code($$ select office.create_profile('x') $$), 'PT422 invalid executor', 'X7: it launches, or chooses');
select is(pg_temp.code($$ select office.create_profile('x', '{"command": ["true"]}', choices => '{y}') $$), 'PT422 invalid executor', 'X7: not both');
select is(pg_temp.code($$ select office.create_profile('x', '{"command": ["true"]}', thinking_level => 'wild', workspace => 'tiers') $$), 'PT422 invalid thinking_level', 'T13: a thinking level that is none');
select is(pg_temp.code($$ select office.create_profile('x', '{"command": ["true"]}', context_window => 0, workspace => 'tiers') $$), 'PT422 invalid context_window', 'T13: a context window of nothing');
select is(pg_temp.code($$ select office.create_profile('x', '{"command": ["true"]}', tiers => '{low,huge}', workspace => 'tiers') $$), 'PT422 invalid tiers', 'X7: a tier that is none');
select is(pg_temp.code($$ select office.create_profile('x', '{"command": ["true"]}', tiers => '{}', workspace => 'tiers') $$), 'PT422 invalid tiers', 'X7: no tier at all');
select office.create_profile('fast', '{"command": ["true"], "provider": "a:team"}', 'haiku', 'tiers', tiers => '{low,medium}');
select office.create_profile('careful', '{"command": ["true"], "provider": "b:team"}', 'opus', 'tiers', thinking_level => 'high', context_window => 200000);
select is(pg_temp.code($$ select office.create_profile('any', choices => '{fast,nobody}', workspace => 'tiers') $$), 'PT404 not_found', 'X7: a choice that is not there');
select is(pg_temp.code($$ select office.create_profile('any', choices => '{fast,fast}', workspace => 'tiers') $$), 'PT422 invalid choices', 'X7: one twice');
select is((select count(*) from office.profiles as p where p.name = 'any'), 0::bigint, 'X7: nothing is written then');
select office.create_profile('any', choices => '{fast,careful}', workspace => 'tiers');
select is(pg_temp.code($$ select office.create_profile('more', choices => '{any}', workspace => 'tiers') $$), 'PT422 invalid choices', 'X7: no list in a list');
select is(pg_temp.code($$ select office.update_profile('any', '{"model": "opus"}', 'tiers') $$), 'PT422 invalid executor', 'X7: a list has no model of its own');
select is(pg_temp.code($$ select office.update_profile('fast', '{"executor": null, "model": null, "tiers": null}', 'tiers') $$), 'PT422 invalid executor', 'X7: what a list names launches something');
select is(pg_temp.code($$ select office.update_profile('fast', '{"choices": ["careful"]}', 'tiers') $$), 'PT422 invalid choices', 'X7: what launches chooses nothing');
select is(pg_temp.code($$ select office.update_profile('fast', '{"speed": 1}', 'tiers') $$), 'PT422 unknown_field speed', 'X7: an unknown setting');
select is(pg_temp.code($$ select office.update_profile('fast', '{"context_window": "x"}', 'tiers') $$), 'PT422 invalid changes', 'X7: a wrong type');
select is(pg_temp.code($$ update office.profile_choices set choice_id = profile_id $$), 'PT422 invalid choices', 'X7: a hand meets it too');
select office.create_workspace('elsewhere');
select office.create_profile('theirs', '{"command": ["true"]}', workspace => 'elsewhere');
select is(pg_temp.code($$ select office.update_profile('any', '{"choices": ["theirs"]}', 'tiers') $$), 'PT404 not_found', 'X7: none of another workspace');
select is(pg_temp.code($$ select office.update_agent('tiers/ann', '{"profile": "theirs"}') $$), 'PT404 not_found', 'X7: nor for an agent');

-- One that launches: model, thinking level and context window.
select pg_temp.bound('tiers/ann', 'careful');
select office.wake('tiers/ann');
select is(pg_temp.launches('ann'), 'opus/high/200000', 'T13: its model, thinking level and context window');
select pg_temp.ends();
select is(
  (select x.body from office.attempts as e join office.executors as x on x.id = e.executor_id order by e.id desc limit 1),
  '{"command": ["true"], "provider": "b:team", "model": "opus", "effort": "high", "context_window": 200000}', 'T13: the attempt records what was launched'
);

-- One that chooses, by the task's complexity.
select pg_temp.bound('tiers/ann', 'any');
select office.create_task('Plain', assignee => 'ann', complexity => 'low', workspace => 'tiers');
select is(pg_temp.launches('ann'), 'haiku', 'T13, X7: the first whose tier fits');
select pg_temp.ends();
select office.create_task('Hard', assignee => 'ann', complexity => 'max', workspace => 'tiers');
select is(pg_temp.launches('ann'), 'opus/high/200000', 'T13, X7: … which for a hard task is another');
select pg_temp.ends();
select office.wake('tiers/ann');
select is(pg_temp.launches('ann'), 'haiku', 'X7: without a task, the first');

-- The first hits its limit: the retry takes the next, at once; and so does everybody else.
select pg_temp.fails('ann', 'Rate limit reached. Try again in 2 hours.');
select is((select count(*) from office.provider_holds as h where h.ended_at is null and h.provider = 'a:team'), 1::bigint, 'Q25: its provider is on hold');
select is(pg_temp.launches('ann'), 'opus/high/200000', 'X7: exhausted in mid-run, the retry takes the next');
select is((select array_agg(x.model order by e.number) from office.attempts as e join office.executors as x on x.id = e.executor_id
  where e.run_id = (select r.id from office.runs as r where r.status = 'claimed')), '{haiku,opus}', 'X7: each attempt records which');
select pg_temp.ends();
select pg_temp.bound('tiers/bob', 'any');
select office.create_task('Plain, too', assignee => 'bob', complexity => 'low', workspace => 'tiers');
select is(pg_temp.launches('bob'), 'opus/high/200000', 'X7: the first that is not on hold');
select pg_temp.fails('bob', 'Rate limit reached. Try again in 1 hour.');
select is(pg_temp.launches('bob'), null, 'Q25: all on hold: it waits');
select testing.advance('61 minutes');
select is(pg_temp.launches('bob'), 'opus/high/200000', 'X7: until the first of them is free');
select pg_temp.ends();
select testing.advance('3 hours');

-- What is queued keeps what it froze.
select office.wake('tiers/ann', payload => '{"context": "frozen"}');
select office.dispatch('tiers');
select office.update_profile('any', '{"choices": ["careful"]}', 'tiers');
select office.update_profile('fast', '{"model": "sonnet"}', 'tiers');
select is(pg_temp.launches('ann'), 'haiku', 'T13: later changes touch nothing that is queued');
select pg_temp.ends();
select office.wake('tiers/ann');
select is(pg_temp.launches('ann'), 'opus/high/200000', 'T13: … and what comes later goes by them');
select office.fail_attempt(e.id, 'no such program', 'configuration') from office.attempts as e where e.ended_at is null;
select office.update_profile('any', '{"choices": ["fast"]}', 'tiers');
select office.retry_run('r' || r.number, anew => true) from office.runs as r where r.status = 'blocked';
select is(pg_temp.launches('ann'), 'sonnet', 'P4: chosen anew, it takes what is set today');
select pg_temp.ends();

-- Failing closed.
update office.workspaces set executor = '{"command": ["fallback"]}' where name = 'tiers';
select office.update_profile('fast', '{"enabled": false}', 'tiers');
select is(pg_temp.code($$ select office.create_task('No', assignee => 'ann', workspace => 'tiers') $$), 'PT422 no_executor assignee', 'T13: assigned with nothing to launch, refused at once');
select office.wake('tiers/ann');
select is(pg_temp.launches('ann'), null, 'X7: a list of which all is disabled launches nothing, nor what others would');
select is((select r.status from office.runs as r join office.agents as a on a.id = r.agent_id where a.name = 'ann' order by r.number desc limit 1), 'blocked', 'X7, Q23: it is blocked');
select office.update_profile('fast', '{"enabled": true}', 'tiers');
select office.update_profile('any', '{"enabled": false}', 'tiers');
select office.wake('tiers/ann');
select is(pg_temp.launches('ann'), null, 'X7: a disabled list, too');
select pg_temp.bound('tiers/ann', null);
select office.wake('tiers/ann');
select is((select c.executor -> 'command' ->> 0 from office.claim_runs(current_setting('testing.worker')::uuid, 1) as c where c.agent = 'ann'), 'fallback', 'Q13.8: without a profile, the workspace''s');
select pg_temp.ends();
select pg_temp.bound('tiers/bob', 'careful');
select office.create_task('Own', assignee => 'bob', executor => '{"command": ["own"]}', workspace => 'tiers') as made;
select is(
  (select concat_ws('/', c.executor -> 'command' ->> 0, c.executor ->> 'effort') from office.claim_runs(current_setting('testing.worker')::uuid, 1) as c where c.agent = 'bob'),
  'own', 'T13: a task''s own executor takes neither thinking level nor context window of a profile'
);
select pg_temp.ends();
select is_empty('select * from office.audit()', 'Q26: the books are in order');
select is(
  (select count(*) from office.attempts as e where e.executor_id is null), 0::bigint, 'X7: every attempt records what it launched'
);
select * from finish();
rollback;
