-- office_internal.can_see: what visible_workspaces says of all, of one workspace (I5, I6): for members, operators, agents, nobody.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/acting.psql
select plan(10);

create role tester_ada login;
create role tester_nobody login;
grant office_client to tester_ada, tester_nobody;
select from office.create_account('ada', db_role => 'tester_ada');
select from office.create_workspace('acme', owner => 'ada');
select from office.create_workspace('bolt');
select from office.create_workspace('gone');
select from office.create_agent('ann', '{"command": ["/bin/true"]}', workspace => 'acme', cooldown_sec => 0);
update office.workspaces set deleted_at = now() where name = 'gone';
-- The internals are granted to nobody: asked here as the owner's, in the name of whoever the session is.
create function pg_temp.seen() returns text language sql security definer
as $$ select coalesce(string_agg(w.name, ' ' order by w.name), '') from office.workspaces as w where office_internal.can_see(w.id) and w.name in ('acme', 'bolt', 'gone') $$;
create function pg_temp.listed() returns text language sql security definer
as $$ select coalesce(string_agg(w.name, ' ' order by w.name), '') from office.visible_workspaces() as v (id) join office.workspaces as w on w.id = v.id and w.name in ('acme', 'bolt', 'gone') $$;

select is(pg_temp.seen(), 'acme bolt', 'I5: an operator sees all that are there');
select is(pg_temp.seen(), pg_temp.listed(), 'I5: … the same as in the list');
select is(office_internal.can_see(gen_random_uuid()), false, 'I5: what does not exist is not seen');
select is(office_internal.can_see(null), false, 'I5: nor is nothing');

set local session authorization tester_ada;
select is(pg_temp.seen(), 'acme', 'I5: a member sees his own');
select is(pg_temp.seen(), pg_temp.listed(), 'I5: … the same as in the list');
set local session authorization tester_nobody;
select is((pg_temp.refusal('select pg_temp.seen()')).state, 'PT401', 'I5: nobody is refused, and gets no empty answer');
reset session authorization;

select from office.wake('acme/ann');
select from office.claim_runs((select worker_id from office.register_worker('box', workspace => 'acme')), 1);
select pg_temp.act((select a.id from office.attempts as a where a.ended_at is null));
select is(pg_temp.seen(), 'acme', 'I6: an agent sees the workspace that it works in');
select is(pg_temp.seen(), pg_temp.listed(), 'I6: … the same as in the list');
select pg_temp.act_no_more();

-- A name among many is found by index, whatever the number (I2)
select is(
  office_internal.find_agent('ANN', office_internal.find_workspace('Acme')), (select a.id from office.agents as a where a.name = 'ann'),
  'I2: names are found whatever their case'
);
select * from finish();
rollback;
