-- I5, I6: row-level security: an account sees its own workspaces' rows, in every table and view, and nobody is refused.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/acting.psql
select plan(18);

-- Two accounts, a workspace each, and in both of them everything that there can be; "acme" or "bolt" is in every text.
create role tester_ada login;
create role tester_ben login;
create role tester_nobody login;
create role tester_reader login;
create role tester_worker login;
grant office_client to tester_ada, tester_ben, tester_nobody;
grant office_reader to tester_reader;
grant office_worker to tester_worker;
select from office.create_account('ada', db_role => 'tester_ada');
select from office.create_account('ben', db_role => 'tester_ben');
select from office.create_account('eve', db_role => 'tester_reader');
create function pg_temp.furnish(name text, owner text) returns void language plpgsql
as $$
declare
  v_executor jsonb := jsonb_build_object('command', jsonb_build_array('/bin/' || name), 'provider', name || ':team');
  v_task text;
  v_worker uuid;
  v_launch record;
begin
  perform from office.create_workspace(name, owner => owner);
  perform from office.create_project(name || '-project', executor => v_executor, workspace => name);
  perform from office.create_profile(name || '-profile', v_executor, workspace => name);
  perform from office.create_agent(name || '-agent', executor => v_executor, workspace => name, cooldown_sec => 0, max_concurrent_sessions => 2);
  perform office.set_setting('max_concurrent_runs', '4', name);
  perform from office.set_budget('workspace:' || name, 100000);
  v_task := task from office.create_task(name || ' parent', workspace => name);
  v_task := task from office.create_task(
    name || ' task', assignee => name || '/' || name || '-agent', parent => v_task, executor => v_executor, workspace => name
  );
  perform from office.create_task(name || ' blocked', blocked_by => array[v_task], workspace => name);
  insert into office.task_participants (workspace_id, task_id, agent_id, role)
  select t.workspace_id, t.id, t.assignee_agent_id, 'reviewer' from office.tasks as t where t.title = name || ' task';
  perform office.add_comment(v_task, name || ' comment');
  perform office.write_document(name || ' document', name || ' words', v_task);
  perform office.create_channel(name || ' channel', v_task);
  perform from office.receive_message(name || ' channel', 'm1', name, name || ' message');
  v_worker := worker_id from office.register_worker(name || '-host', workspace => name, max_runs => 4);
  for v_launch in select * from office.claim_runs(v_worker, 1) as c where c.run_id is not null loop
    perform from office.start_attempt(v_launch.attempt_id);
    perform office.record_steps(v_launch.attempt_id, jsonb_build_array(
      jsonb_build_object('sequence', 1, 'kind', 'message', 'content', name || ' step')
    ));
    perform from office.fail_attempt(v_launch.attempt_id, name || ' broke', 'configuration');
  end loop;
  perform from office.wake(name || '/' || name || '-agent');
  for v_launch in select * from office.claim_runs(v_worker, 1) as c where c.run_id is not null loop
    perform from office.start_attempt(v_launch.attempt_id);
    perform from office.finish_attempt(v_launch.attempt_id, jsonb_build_object('summary', name || ' summary'));
    perform from office.add_feedback(v_launch.run, name || ' feedback');
  end loop;
  perform from office.wake(name || '/' || name || '-agent', payload => jsonb_build_object('context', name || ' words'));
  for v_launch in select * from office.claim_runs(v_worker, 1) as c where c.run_id is not null loop
    perform from office.start_attempt(v_launch.attempt_id);
    perform office.add_resource(v_launch.attempt_id, 'folder:server:/srv/' || name);
    perform pg_temp.act(v_launch.attempt_id);
    perform office.ask(name || ' or not?');
    perform from office.checkpoint(jsonb_build_object('at', name)), office.receipt(name, '{}');
    perform pg_temp.act_no_more();
  end loop;
  v_task := task from office.create_task(name || ' second', assignee => name || '/' || name || '-agent', workspace => name);
  for v_launch in select * from office.claim_runs(v_worker, 1) as c where c.run_id is not null loop
    null;
  end loop;
  insert into office.permission_rules (workspace_id, agent_id, covers, choice, decision_id, made_at)
  select d.workspace_id, d.agent_id, furnish.name || ' tool', 'always', d.id, office.now()
  from office.decisions as d
  join office.workspaces as w on w.id = d.workspace_id and w.name = furnish.name
  limit 1;
  perform from office.set_provider_limit(name || ':team', 9);
  insert into office.provider_holds (provider, until, since, reason, run_id, ended_at, ended_by)
  select furnish.name || ':team', office.now(), office.now(), 'its limit was hit', r.id, office.now(), 'time'
  from office.runs as r
  join office.workspaces as w on w.id = r.workspace_id and w.name = furnish.name
  limit 1;
  v_task := task from office.create_task(name || ' reviewed', workspace => name);
  perform from office.move_task(v_task, 'in_progress');
  perform from office.move_task(v_task, 'in_review');
  perform from office.review_task(v_task, 'approved');
  perform from office.create_routine(name || '-routine', name || '/' || name || '-agent', workspace => name);
  perform from office.add_schedule(name || '/' || name || '-routine', '0 9 * * *');
  perform from office.fire_routine(name || '/' || name || '-routine');
  perform office.record_cost(a.id, jsonb_build_array(jsonb_build_object('usage_event_id', name || '-1', 'cost_cents', 1)))
  from (
    select p.id from office.attempts as p join office.workspaces as w on w.id = p.workspace_id and w.name = furnish.name
    where p.ended_at is null order by p.id limit 1
  ) as a;
  perform from office.create_task(name || ' third', assignee => name || '/' || name || '-agent', workspace => name);
  perform office.dispatch(name);
  perform from office.wake(name || '/' || name || '-agent');
  perform from office.create_profile(name || '-list', choices => array[name || '-profile'], workspace => name);
  insert into office.run_choices (run_id, position, workspace_id, executor_id)
  select r.id, 1, r.workspace_id, r.executor_id from office.runs as r join office.workspaces as w on w.id = r.workspace_id and w.name = furnish.name;
  insert into office.worktrees (task_id, agent_id, workspace_id, name, branch, repository, folder, made_at)
  select t.id, t.assignee_agent_id, t.workspace_id, t.title, t.title, '/srv/' || name, '/srv/' || name || '.worktrees', office.now()
  from office.tasks as t where t.title = name || ' task';
  insert into office.session_deletions (workspace_id, session_id, engine_session, executor, host, asked_at)
  select s.workspace_id, s.id, furnish.name, v_executor, furnish.name, office.now()
  from office.agent_sessions as s join office.workspaces as w on w.id = s.workspace_id and w.name = furnish.name
  limit 1;
  insert into office.task_checks (workspace_id, task_id, target, command)
  select t.workspace_id, t.id, 'done', jsonb_build_array(name) from office.tasks as t where t.title = name || ' task';
end
$$;
select pg_temp.furnish('acme', 'ada'), pg_temp.furnish('bolt', 'ben');
select office.add_member('acme', 'eve');

-- Everything public that holds rows of workspaces, and how a row of one is known: by its workspace's name or by an id of it.
create temporary table relations as
select c.oid::regclass::text as name, (
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute as a
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname <> 'token_hash'
) as columns
from pg_class as c
where c.relnamespace = 'office'::regnamespace and c.relkind in ('r', 'v')
  and c.oid::regclass::text not in (
    'office.errors', 'office.task_states', 'office.task_moves', 'office.wakeup_sources', 'office.wakeup_fields', 'office.wakeup_states',
    'office.wakeup_moves', 'office.run_states', 'office.run_moves', 'office.setting_definitions', 'office.health',
    -- Prices, and what work the office does of its own, are the same for everybody.
    'office.model_prices', 'office.maintenance_slots', 'office.maintenance_status'
  );
create temporary table ids (workspace text, id uuid);
insert into ids
select w.name, x.id
from office.workspaces as w
cross join lateral (
  select w.id union select w.office_workflow_id union select w.routine_workflow_id union select w.owner_account_id
  union select a.id from office.agents as a where a.workspace_id = w.id
  union select t.id from office.tasks as t where t.workspace_id = w.id
  union select r.id from office.runs as r where r.workspace_id = w.id
  union select p.id from office.attempts as p where p.workspace_id = w.id
) as x (id)
where w.name in ('acme', 'bolt');
-- The accounts' ids are both workspaces' to know where both are members: none is here.
grant select on relations, ids to public;
create function pg_temp.rows_of(relation text, columns text, workspace text) returns bigint language plpgsql
as $$
declare
  v_rows bigint;
begin
  execute format(
    $q$
      select count(*) from (select %s from %s) as r
      where r::text ~* $1 or exists (select from ids as i where i.workspace = $1 and position(i.id::text in r::text) > 0)
    $q$, columns, relation
  ) into v_rows using workspace;
  return v_rows;
end
$$;

select is_empty(
  $$
    select r.name, w.name from relations as r, unnest(array['acme', 'bolt']) as w (name)
    where pg_temp.rows_of(r.name, r.columns, w.name) = 0
  $$,
  'I5: the owner sees rows of both workspaces in every table and view (so that what follows proves something)'
);
set local session authorization tester_ada;
select is_empty(
  $$ select name, pg_temp.rows_of(name, columns, 'bolt') from relations where pg_temp.rows_of(name, columns, 'bolt') > 0 $$,
  'I5: ada sees no row of bolt in any table or view'
);
select is_empty(
  $$ select name from relations where pg_temp.rows_of(name, columns, 'acme') = 0 $$,
  'I5: ada sees rows of acme in every table and view'
);
reset session authorization;
set local session authorization tester_ben;
select is_empty(
  $$ select name, pg_temp.rows_of(name, columns, 'acme') from relations where pg_temp.rows_of(name, columns, 'acme') > 0 $$,
  'I5: ben sees no row of acme in any table or view'
);
select is((select count(*) from office.workspaces), 1::bigint, 'I5: and only his workspace');
reset session authorization;
set local session authorization tester_reader;
select is_empty(
  $$ select name, pg_temp.rows_of(name, columns, 'bolt') from relations where pg_temp.rows_of(name, columns, 'bolt') > 0 $$,
  'I5: a reader who is a member of acme sees no row of bolt'
);
select is_empty($$ select name from relations where pg_temp.rows_of(name, columns, 'acme') = 0 $$, 'I5: and all of acme');
select is((pg_temp.refusal($$ select office.add_comment('t1', 'x') $$)).state, '42501', 'I5: a reader changes nothing');
reset session authorization;

-- Through functions, which pass row-level security by themselves: by name, number and uuid.
create temporary table bolts as
select
  (select 't' || number from office.tasks where title = 'bolt task') as task,
  (select id::text from office.tasks where title = 'bolt task') as task_id,
  (select 'r' || min(r.number) from office.runs as r join office.workspaces as w on w.id = r.workspace_id where w.name = 'bolt') as run,
  (select min(k.id::text) from office.wakeups as k join office.workspaces as w on w.id = k.workspace_id where w.name = 'bolt') as wakeup_id,
  (select id from office.runs where agent_id = (select id from office.agents where name = 'bolt-agent') and status = 'queued' limit 1) as run_id;
grant select on bolts to public;
set local session authorization tester_ada;
select is_empty(
  $$
    select s, x.state, x.message
    from bolts
    cross join lateral unnest(array[
      format('office.read_task(%L)', task), format('office.read_task(%L)', task_id), format('office.why(%L)', task), format('office.why(%L)', run),
      format('office.why(%L)', wakeup_id), format('office.result(%L)', task), format('office.result(%L)', task_id), format('office.result(%L)', run),
      format('office.result(%L)', wakeup_id), format('office.move_task(%L, %L)', task, 'todo'), format('office.assign_task(%L, null)', task_id),
      format('office.complete_task(%L)', task), format('office.archive_task(%L)', task), format('office.delete_task(%L)', task),
      format('office.add_comment(%L, %L)', task, 'x'), format('office.stop(%L)', task), format('office.stop(%L)', run), 'office.stop(''bolt-agent'')',
      'office.stop(''agent:bolt/bolt-agent'')', 'office.stop(''workspace:bolt'')', format('office.retry_run(%L)', run), 'office.wake(''bolt/bolt-agent'')',
      'office.wake(''bolt-agent'')', 'office.wake_many(''[{"agent": "bolt/bolt-agent"}]'')', 'office.dispatch(''bolt'')',
      'office.update_agent(''bolt-agent'', ''{}'')', 'office.create_agent(''x'', workspace => ''bolt'')', 'office.create_task(''x'', workspace => ''bolt'')',
      format('office.create_task(%L, parent => %L)', 'x', task), format('office.create_task(%L, blocked_by => array[%L])', 'x', task),
      'office.create_task(''x'', assignee => ''bolt-agent'')', 'office.create_task(''x'', assignee => ''bolt/bolt-agent'')',
      'office.create_task(''x'', project => ''bolt-project'')', 'office.create_agent(''x'', profile => ''bolt-profile'')',
      'office.create_agent(''x'', reports_to => ''bolt-agent'')', 'office.create_agent(''x'', reports_to => ''bolt/bolt-agent'')',
      'office.update_agent(''acme-agent'', ''{"reports_to": "bolt/bolt-agent"}'')', 'office.set_setting(''max_concurrent_runs'', ''1'', ''bolt'')',
      'office.get_setting(''max_concurrent_runs'', ''bolt'')', 'office.add_member(''bolt'', ''ada'')',
      format('office.wake(''acme-agent'', payload => %L)', jsonb_build_object('task_id', task)),
      format('office.wake(''acme-agent'', ''task_assigned'', %L)', jsonb_build_object('task_id', task_id))
    ]) as s
    cross join lateral pg_temp.refusal('select * from ' || s) as x
    where (x.state, x.detail ->> 'code') is distinct from ('PT404', 'not_found') or x.message ~* 'bolt task' or x.hint ~* 'mean.*bolt'
  $$,
  'I6: no function finds anything of another workspace by name, number or uuid, nor gives its names away'
);
select is((select count(*) from bolts, office.waiting_for(bolts.run_id)), 0::bigint, 'I6: nor why its run waits');
select is((select count(*) from office.undispatched() as u where u.workspace_id not in (select id from office.workspaces)), 0::bigint, 'I6: nor what it has not dispatched');
reset session authorization;

-- Nobody.
set local session authorization tester_nobody;
select is_empty(
  $$ select r.name, x.state from relations as r, pg_temp.refusal(format('select %s from %s', r.columns, r.name)) as x where x.state is distinct from 'PT401' $$,
  'I5: nobody gets PT401 from every table and view, and no empty list'
);
select is_empty(
  $$
    select s, x.state
    from unnest(array[
      'office.why(''t1'')', 'office.result(''t1'')', 'office.read_task(''t1'')', 'office.get_setting(''sweep_seconds'')', 'office.wake(''acme-agent'')',
      'office.create_task(''x'')', 'office.dispatch()', 'office.stop(''everything'')', 'office.retry_run(''r1'')', 'office.visible_workspaces()',
      'office.undispatched()', 'office.create_agent(''x'')', 'office.set_setting(''sweep_seconds'', ''9'', ''office'')', 'office.note_decision(''x'')'
    ]) as s
    cross join lateral pg_temp.refusal('select * from ' || s) as x
    where x.state is distinct from 'PT401' or x.hint not like 'An operator can run: officectl db grant tester_nobody %'
  $$,
  'I5: and from every function, with the command that grants an identity'
);
reset session authorization;

-- A worker does a worker's work and sees nothing.
set local session authorization tester_worker;
select is_empty(
  $$ select r.name, x.state from relations as r, pg_temp.refusal(format('select %s from %s', r.columns, r.name)) as x where x.state is distinct from '42501' $$,
  'I5: a worker reads no table'
);
select is_empty(
  $$
    select s, x.state
    from unnest(array[
      'office.create_agent(''x'')', 'office.stop(''everything'')', 'office.act_as(''ada'')', 'office.audit()',
      'office.expire_worker(office.uuid7())', 'office.set_setting(''sweep_seconds'', ''9'', ''office'')', 'office.why(''t1'')'
    ]) as s
    cross join lateral pg_temp.refusal('select * from ' || s) as x
    where x.state is distinct from '42501'
  $$,
  'I5: nor calls what is not a worker''s'
);
select is_empty(
  $$
    select s, x.state
    from unnest(array['office.create_task(''x'')', 'office.wake(''acme-agent'')', 'office.read_task(''t1'')', 'office.note_decision(''x'')']) as s
    cross join lateral pg_temp.refusal('select * from ' || s) as x
    where x.state is distinct from 'PT401'
  $$,
  'I5, I6: and is nobody in the agents'' calls without a token'
);
select lives_ok(
  $$
    do $do$
    declare
      v_worker uuid := worker_id from office.register_worker('box');
    begin
      perform from office.claim_runs(v_worker, 1);
      perform from office.heartbeat(v_worker);
      perform office.drain_worker(v_worker), office.carry_out();
      perform from office.maintain();
    end
    $do$
  $$,
  'I5: what is a worker''s it may call'
);
reset session authorization;

select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
