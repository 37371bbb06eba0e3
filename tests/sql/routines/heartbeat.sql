-- R19: who leads comes with a heartbeat, once. sc-R12
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
select plan(11);

select pg_temp.scenario('lead', 'ann');
create function pg_temp.heartbeats() returns bigint language sql as $$ select count(*) from office.routines as r where r.name like 'Coordinator heartbeat%' $$;
select matches(
  (office.create_agent('boss', '{"command": ["/bin/true"]}', 'coordinator', workspace => 'lead')).note, '288 launches a day', 'R19: its maker is told what it costs'
);
select row_eq(
  $$
    select r.name, a.name::text, r.concurrency_policy, r.catch_up_policy, r.catch_up_max, r.task_template, t.expression, t.timezone, t.next_run_at
    from office.routines as r
    join office.agents as a on a.id = r.assignee_agent_id
    join office.routine_triggers as t on t.routine_id = r.id
  $$,
  row('Coordinator heartbeat'::text, 'boss'::text, 'coalesce_if_active'::text, 'enqueue_missed_with_cap'::text, 25, '{}'::jsonb,
    '*/5 * * * *'::text, 'UTC'::text, timestamptz '2035-01-01 10:05+00'),
  'R19, sc-R12: one ordinary routine'
);
select matches((select r.description from office.routines as r), 'every five minutes to look over the workspace, react to errors', 'R19: what it says');
select office.create_agent('chief', '{"command": ["/bin/true"]}', 'ceo', workspace => 'lead');
select is(pg_temp.heartbeats(), 2::bigint, 'R19: a ceo, too; of another name');
select office.create_agent('hand', workspace => 'lead');
select office.update_agent('lead/hand', '{"role": "coordinator"}');
select office.update_agent('lead/boss', '{"instructions": "Lead."}');
select is(pg_temp.heartbeats(), 2::bigint, 'R19, sc-R12: edited, none is made');
select office.delete_routine('Coordinator heartbeat');
select office.update_agent('lead/boss', '{"role": "worker"}');
select office.update_agent('lead/boss', '{"role": "coordinator"}');
select is((select count(*) from office.routines as r where r.deleted_at is null), 1::bigint, 'R19, sc-R12: deleted, it is not made anew');
select testing.advance('5 minutes');
select is((select t.fired from office.tick() as t), 1, 'R19: it fires');
select is(pg_temp.claim(), 'chief:routine', 'R19: … and wakes who leads, though there is nothing to do');
-- It cannot be made: the agent is.
alter table office.routines add constraint broken check (name not like 'Coordinator heartbeat%') not valid;
select is((office.create_agent('third', '{"command": ["/bin/true"]}', 'coordinator', workspace => 'lead')).note, null::text, 'R19: a failure to make it does not fail the agent');
select is((select count(*) from office.activity as a where a.kind = 'heartbeat_not_made'), 1::bigint, 'R19: … and is told');
alter table office.routines drop constraint broken;
select is_empty('select * from office.audit()', 'K9');

select * from finish();
rollback;
