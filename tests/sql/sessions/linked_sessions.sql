-- N3: what the runs of a project share: its folder, the engine sessions of one agent, which take turns; and what is deleted of retired work.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/resources.psql
select plan(41);

create function pg_temp.launched()
returns text
language sql
as $$
  select coalesce(string_agg(concat_ws(' ', c.agent, c.task, coalesce(c.engine_session, 'fresh'), c.folder), ', ' order by c.ordinality), '')
  from office.claim_runs(current_setting('testing.worker')::uuid, 9) with ordinality as c
  where c.run_id is not null
$$;
create function pg_temp.in_project(title text, assignee text, project text default 'shop')
returns text
language sql
as $$
  select (office.create_task(
    title, assignee => assignee, project => project, workspace => current_setting('testing.workspace')
  )).task
$$;
create function pg_temp.live(task text)
returns uuid
language sql
as $$ select r.attempt_id from office.runs as r where r.task_id = pg_temp.task_id(task) and r.status in ('claimed', 'running', 'stopping') $$;
-- Its run starts in an engine session, and ends, with nothing left of it.
create function pg_temp.works(task text, engine_session text)
returns text
language plpgsql
as $$
declare
  v_attempt uuid := pg_temp.live(task);
  v_said text;
begin
  perform office.start_attempt(v_attempt, 1, engine_session);
  select f.outcome into v_said from office.finish_attempt(v_attempt) as f;
  perform office.confirm_cleanup(v_attempt);
  return v_said;
end
$$;
create function pg_temp.shared(task text)
returns text
language sql
as $$
  select string_agg(h.key, ' ' order by h.key)
  from office.resources as h join office.runs as r on r.id = h.run_id
  where r.task_id = pg_temp.task_id(task) and h.key like 'session:%'
$$;
create function pg_temp.waits_for(task text)
returns text
language sql
as $$
  select w.reason from office.runs as r cross join lateral office.waiting_for(r.id) as w
  where r.task_id = pg_temp.task_id(task) and r.status = 'queued' limit 1
$$;
-- The settings, as everybody reads and sets them.
select results_eq(
  $$ select d.key, d.default_value, array_to_string(d.scopes, ' ') from office.setting_definitions as d where d.key in ('project_folders', 'linked_sessions', 'clean_sessions') order by 1 $$,
  $$ values ('clean_sessions', 'on', 'office workspace'), ('linked_sessions', 'on', 'office workspace'), ('project_folders', 'on', 'office workspace') $$,
  'N3: three settings, on by default'
);

-- The project's folder

select pg_temp.scenario('folders', 'ann', 'bob');
select office.create_project('shop', workspace => 'folders', folder => '/srv/shop');
select pg_temp.in_project('One', 'ann') as one \gset
select pg_temp.in_project('Two', 'bob') as two \gset
select is(pg_temp.launched(), format('ann %s fresh /srv/shop', :'one'), 'N3: the tasks of a project share its folder, one at a time');
select is(pg_temp.waits_for(:'two'), 'Same folder as "One", which is running', 'S5: … and say so');
select office.update_agent('folders/ann', '{"max_concurrent_sessions": 2}'), office.set_setting('project_folders', 'off', 'folders');
select pg_temp.in_project('Three', 'ann') as three \gset
select pg_temp.look();
select is(pg_temp.launched(), format('bob %s fresh, ann %s fresh', :'two', :'three'), 'N3: with project_folders off no run works there, and none waits for it');
select is(
  (select count(*)::integer from office.resources as h where h.attempt_id in (pg_temp.live(:'two'), pg_temp.live(:'three'))), 0, 'S4: … nor holds it'
);
select ok(
  (select bool_and(position('/srv/shop' in p.assembled_prompt) = 0) from office.attempt_prompts as p where p.attempt_id in (pg_temp.live(:'two'), pg_temp.live(:'three'))),
  'C1: … nor is told of it'
);
select pg_temp.works(:'one', null), pg_temp.works(:'two', null), pg_temp.works(:'three', null);

-- An engine session goes on in the next task

select pg_temp.scenario('links', 'ann', 'bob');
select office.create_project('shop', workspace => 'links'), office.create_project('other', workspace => 'links');
select office.update_agent('links/ann', '{"max_concurrent_sessions": 4}');
select pg_temp.in_project('One', 'ann') as one \gset
select is(pg_temp.launched(), format('ann %s fresh', :'one'), 'N3: there is nothing to go on in');
select is(pg_temp.works(:'one', 'engine-1'), 'succeeded', 'N1: it works');
select is(pg_temp.shared(:'one'), null, 'N3: shared with nobody, it needs no key');
select pg_temp.in_project('Two', 'ann') as two \gset
select pg_temp.in_project('Three', 'ann') as three \gset
select pg_temp.in_project('Not hers', 'bob') as bobs \gset
select pg_temp.in_project('Elsewhere', 'ann', 'other') as elsewhere \gset
select is(
  pg_temp.launched(), format('ann %s engine-1, ann %s fresh, ann %s fresh, bob %s fresh', :'two', :'three', :'elsewhere', :'bobs'),
  'N3: of two tasks the first goes on in it; not another agent, nor another project'
);
select is(pg_temp.shared(:'two'), 'session:' || s.id, 'N3, S4: its run holds the key of the session') from office.agent_sessions as s where s.task_id = pg_temp.task_id(:'one');
select ok(
  (select position('Task t' in p.assembled_prompt) > 0 and position('Two' in p.assembled_prompt) > 0 from office.attempt_prompts as p where p.attempt_id = pg_temp.live(:'two')),
  'C2: a session that knew nothing of this task is told all of it'
);
select pg_temp.wake('ann', 'user', pg_temp.about(:'one'));
select is(pg_temp.launched(), '', 'N3: the other pair waits for its turn');
select is(pg_temp.waits_for(:'one'), 'Same session as "Two", which is running', 'S5: … and says so');
select is_empty('select * from office.audit()', 'Q26: the books balance');
select pg_temp.works(:'two', 'engine-1');
select is(pg_temp.launched(), format('ann %s engine-1', :'one'), 'N3: then it goes on in the same engine session');
select pg_temp.wake('ann', 'user', pg_temp.about(:'two'));
select is(pg_temp.launched(), '', 'N3: … while the first waits');
select pg_temp.in_project('Meanwhile', 'ann') as meanwhile \gset
select is(pg_temp.launched(), format('ann %s fresh', :'meanwhile'), 'N3: what is not idle is not gone on in');
select office.finish_attempt(pg_temp.live(:'one'));
select is(pg_temp.launched(), format('ann %s engine-1', :'two'), 'P7: its turn is over with its end, cleaned up after or not');
select pg_temp.works(:'two', 'engine-1');
select pg_temp.works(:'three', 'engine-3'), pg_temp.works(:'meanwhile', null), pg_temp.works(:'elsewhere', 'engine-e'), pg_temp.works(:'bobs', 'engine-b');
-- A third pair joins the two.
select testing.advance('1 hour');
select pg_temp.wake('ann', 'user', pg_temp.about(:'one'));
select pg_temp.launched();
select pg_temp.works(:'one', 'engine-1');
select pg_temp.in_project('Four', 'ann') as four \gset
select is(pg_temp.launched(), format('ann %s engine-1', :'four'), 'N3: the one that was used last');
select is((select count(distinct s.link_id)::integer || ' ' || count(*) from office.agent_sessions as s where s.link_id is not null and s.workspace_id = (select id from office.workspaces where name = 'links')), '1 3', 'N3: three pairs share one key');
select pg_temp.works(:'four', 'engine-1');

-- Another engine, an old session, the setting
select office.update_agent('links/ann', '{"executor": {"command": ["/bin/false"]}}');
select pg_temp.in_project('Other engine', 'ann') as engine \gset
select is(pg_temp.launched(), format('ann %s fresh', :'engine'), 'N3: another engine begins anew');
select pg_temp.works(:'engine', null);
select office.update_agent('links/ann', '{"executor": {"command": ["/bin/true"]}}');
select testing.advance('8 days');
update office.workers set lease_until = office.now() + interval '1 minute';
select pg_temp.in_project('Old', 'ann') as old \gset
select is(pg_temp.launched(), format('ann %s fresh', :'old'), 'N3: one that was not used within 7 days is left alone');
select pg_temp.works(:'old', 'engine-9');
select office.set_setting('linked_sessions', 'off', 'links');
select pg_temp.look();
select pg_temp.in_project('Off', 'ann') as off \gset
select is(pg_temp.launched(), format('ann %s fresh', :'off'), 'N3: with linked_sessions off every task begins anew');
select pg_temp.works(:'off', null);
select office.set_setting('linked_sessions', 'on', 'links');
select pg_temp.look();
select pg_temp.task('No project', 'ann') as none \gset
select is(pg_temp.launched(), format('ann %s fresh', :'none'), 'N3: work of no project is linked with nothing');
select pg_temp.works(:'none', null);

-- Deletions

select is((select count(*)::integer from office.session_deletions), 0, 'N3: nothing has been retired');
select office.move_task(:'elsewhere', 'cancelled');
select pg_temp.look();
select results_eq(
  $$ select d.engine_session, d.executor ->> 'command' from office.sessions_to_delete('box') as d $$, $$ values ('engine-e', '["/bin/true"]') $$,
  'N3: the engine session of a task that was cancelled is to be deleted, on the host that keeps it'
);
select is((select count(*)::integer from office.sessions_to_delete('elsewhere')), 0, 'N3: … and on no other');
select office.assign_task(:'one', 'links/bob');
select pg_temp.look();
select is((select count(*)::integer from office.sessions_to_delete('box')), 1, 'N3: one that others share is kept');
select office.move_task(:'two', 'cancelled'), office.delete_task(:'four');
select pg_temp.look();
select is((select string_agg(d.engine_session, ' ' order by d.engine_session) from office.sessions_to_delete('box') as d), 'engine-1 engine-e', 'N3: … and goes with the last of them');
update office.agent_sessions set ended_at = office.now(), end_reason = 'removed' where engine_session = 'engine-b';
select is((select string_agg(d.engine_session, ' ' order by d.engine_session) from office.sessions_to_delete('box') as d), 'engine-1 engine-b engine-e', 'N3: a hand that ends one retires it as well');
-- Not while a run is at it.
select pg_temp.wake('ann', 'user', pg_temp.about(:'three'));
select pg_temp.launched();
select office.start_attempt(pg_temp.live(:'three'), 1, 'engine-3');
select office.move_task(:'three', 'cancelled');
select pg_temp.look();
select is((select count(*)::integer from office.session_deletions as d where d.engine_session = 'engine-3'), 1, 'N3: a task that is cancelled while its run is under way');
select is((select count(*)::integer from office.sessions_to_delete('box') as d where d.engine_session = 'engine-3'), 0, 'N3: … is retired when that has ended');
select office.finish_attempt(pg_temp.live(:'three'));
select is((select count(*)::integer from office.sessions_to_delete('box') as d where d.engine_session = 'engine-3'), 1, 'N3: … and then');
select office.confirm_deletion(d.deletion_id, case d.engine_session when 'engine-e' then 'not_there' when 'engine-1' then 'deleted' else 'unknown' end)
from office.sessions_to_delete('box') as d;
select is_empty($$ select * from office.sessions_to_delete('box') $$, 'N3: what is confirmed is not asked for again');
select d.id as deletion from office.session_deletions as d where d.engine_session = 'engine-1' \gset
select office.confirm_deletion(:'deletion', 'unknown');
select is((select d.outcome from office.session_deletions as d where d.id = :'deletion'), 'deleted', 'N3: said again it changes nothing');
create function pg_temp.code(statement text)
returns text
language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r $$;
select is(pg_temp.code(format('select office.confirm_deletion(%L, ''gone'')', :'deletion')), 'PT422 invalid outcome', 'I2: an outcome that is none');
select is(pg_temp.code(format('select office.confirm_deletion(%L, null)', :'deletion')), 'PT422 invalid outcome', 'I2: … nor none at all');
select is(pg_temp.code(format('select office.confirm_deletion(%L, ''deleted'')', office.uuid7())), 'PT404 not_found', 'I2: a deletion that is not there');
select office.set_setting('clean_sessions', 'off', 'links');
update office.agent_sessions set ended_at = office.now(), end_reason = 'removed' where engine_session = 'engine-9';
select is((select count(*)::integer from office.session_deletions as d where d.engine_session = 'engine-9'), 0, 'N3: with clean_sessions off engines keep their sessions');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
