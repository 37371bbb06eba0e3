-- X2, I6: what an agent may do with its token: its run's task and the parts below it, and nothing else. sc-X6
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(31);
select testing.install_clock();

select a.agent from unnest(array['ann', 'bob']) as n, office.create_agent(n, executor => '{"command": ["/bin/true"]}', cooldown_sec => 0) as a;
select from office.create_agent('lead', role => 'coordinator', executor => '{"command": ["/bin/true"]}');
select task as mine from office.create_task('mine', assignee => 'ann') \gset
select task as part from office.create_task('part', parent => :'mine') \gset
select task as parts_part from office.create_task('part''s part', parent => :'part') \gset
select task as other from office.create_task('other', assignee => 'bob') \gset
select from office.wake('lead');
create temporary table launches as
select * from office.claim_runs((select worker_id from office.register_worker('box', max_runs => 8)), 8) where run_id is not null;
grant select on launches to public;
select is((select count(*) from launches), 3::bigint, 'Q11: three runs are launched');

create role tester_gate login;
grant office_client to tester_gate;
insert into office_internal.gateways (login, kind) values ('tester_gate', 'token');
create function pg_temp.token(of_agent text) returns text language sql as $$ select token from launches where agent = of_agent $$;
create function pg_temp.code(statement text) returns text language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code') from pg_temp.refusal(statement) as r $$;

set local session authorization tester_gate;
select is(pg_temp.code($$ select * from office.read_task() $$), 'PT401 no_identity', 'I6: before it acts with a token it is nobody');
select office.act_with(pg_temp.token('ann'));

-- Its own.
select is(office.read_task() ->> 'task', :'mine', 'X2: read_task without a reference is the run''s own task');
select is(office.read_task(:'other') ->> 'title', 'other', 'X2: it may read what its workspace holds');
select lives_ok(format('select * from office.move_task(%L, %L)', :'mine', 'in_progress'), 'X2: it moves its own task');
select lives_ok(format('select office.add_comment(%L, %L)', :'mine', 'Half of it is done.'), 'X2: it comments on it');
select lives_ok(format('select * from office.move_task(%L, %L)', :'part', 'in_progress'), 'X2: it moves a part of it');
select lives_ok(format('select * from office.complete_task(%L, %L)', :'parts_part', 'so'), 'X2: and a part of a part');
select is((select state from office.create_task('a new part')), 'todo', 'X2: it makes tasks');
select is(
  (office.read_task() -> 'parts') @> '[{"title": "a new part"}]', true, 'X2: what it makes is a part of its own task'
);
select lives_ok($$ select office.note_decision('We use blue.') $$, 'X2: it notes a decision');
select lives_ok($$ select * from office.wake('ann', 'self', '{"reason": "look again"}') $$, 'X2: it wakes itself');

-- Not its own.
select is(pg_temp.code(format('select * from office.move_task(%L, %L)', :'other', 'in_progress')), 'PT403 forbidden', 'sc-X6: it moves no other run''s task');
select is(pg_temp.code(format('select * from office.complete_task(%L)', :'other')), 'PT403 forbidden', 'sc-X6: completes none');
select is(pg_temp.code(format('select office.add_comment(%L, %L)', :'other', 'hm')), 'PT403 forbidden', 'sc-X6: comments on none');
select is(pg_temp.code(format('select * from office.assign_task(%L, %L)', :'other', 'ann')), 'PT403 forbidden', 'sc-X6: takes none');
select is(pg_temp.code(format('select * from office.create_task(%L, parent => %L)', 'x', :'other')), 'PT403 forbidden', 'sc-X6: puts no part below one');
select is(pg_temp.code($$ select * from office.wake('bob', 'self', '{"reason": "hm"}') $$), 'PT403 forbidden', 'X2: it wakes nobody else');
select is(pg_temp.code($$ select * from office.wake('ann', 'user', '{"user_id": "system"}') $$), 'PT403 forbidden', 'X2: nor as a person');
select is_empty(
  format(
    $$
      select s from unnest(array[
        'office.create_agent(''x'')', 'office.update_agent(''ann'', ''{}'')', 'office.create_workspace(''x'')', 'office.create_account(''x'')',
        'office.create_project(''x'')', 'office.create_profile(''x'', ''{"command": ["x"]}'')', 'office.set_setting(''max_concurrent_runs'', ''8'')',
        'office.delete_task(''%1$s'')', 'office.archive_task(''%1$s'')', 'office.stop(''everything'')', 'office.stop(''agent:bob'')', 'office.retry_run(''r1'')'
      ]) as s
      where pg_temp.code('select * from ' || s) is distinct from 'PT403 forbidden'
    $$, :'mine'
  ),
  'X2: what is a person''s to do is refused'
);
select is(
  pg_temp.code(format('update office.tasks set state = %L where title = %L', 'done', 'mine')), '42501', 'I5: it updates no task by hand'
);

-- Another run's token; a coordinator; none.
select office.act_with(pg_temp.token('bob'));
select is(office.read_task() ->> 'task', :'other', 'I6: each act_with puts the last aside');
select is(pg_temp.code(format('select * from office.move_task(%L, %L)', :'mine', 'todo')), 'PT403 forbidden', 'sc-X6: the other way round too');
select office.act_with(pg_temp.token('lead'));
select lives_ok(format('select * from office.assign_task(%L, %L)', :'other', 'bob'), 'X2: a coordinator changes any task of its workspace');
select is(pg_temp.code($$ select office.read_task() $$), 'PT422 missing', 'X2: a taskless run has no task of its own');
select is(pg_temp.code($$ select office.act_with('oat_nonsense') $$), 'PT401 bad_token', 'I6: a token that is none');
select is(
  pg_temp.code(format('select office.act_with(%L)', regexp_replace(pg_temp.token('ann'), '.$', case right(pg_temp.token('ann'), 1) when '0' then '1' else '0' end))),
  'PT401 bad_token', 'I6: a token with one digit changed'
);
reset session authorization;
set local office.acting = '';

-- It dies with its attempt, however that ends.
select from office.finish_attempt((select attempt_id from launches where agent = 'ann'));
select from office.fail_attempt((select attempt_id from launches where agent = 'bob'), 'broke');
update office.runs set status = 'cancelled' where id = (select run_id from launches where agent = 'lead');
set local session authorization tester_gate;
select is(
  pg_temp.code(format('select office.act_with(%L)', pg_temp.token(a))), 'PT401 bad_token', format('sc-X6: the token of an attempt that ended is refused (%s)', a)
) from unnest(array['ann', 'bob', 'lead']) as a;
reset session authorization;
set local office.acting = '';
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
