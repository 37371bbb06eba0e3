-- I6: who calls is found from the login, and a setting that anybody can set gains nobody anything.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(43);

-- Two accounts, each with a workspace of its own, and logins of every kind.
select from office.create_account('ada', db_role => 'tester_ada');
select from office.create_account('ben');
select from office.create_workspace('acme', owner => 'ada');
select from office.create_workspace('bolt', owner => 'ben');
select a.agent from unnest(array['acme', 'bolt']) as w, office.create_agent('builder', executor => '{"command": ["/bin/true"]}', workspace => w) as a;
create role tester_ada login;
create role tester_nobody login;
create role tester_proxy login;
create role tester_rest login;
create role tester_gate login;
create role tester_operator login;
create role tester_chief login;
grant office_client to tester_ada, tester_nobody, tester_proxy, tester_rest, tester_gate;
grant office_operator to tester_operator, tester_chief;
select from office.create_account('chief', db_role => 'tester_chief');
insert into office_internal.gateways (login, kind)
values ('tester_proxy', 'act_as'), ('tester_rest', 'claims'), ('tester_gate', 'token');

create function pg_temp.seen() returns text language plpgsql
as $$ begin return (select string_agg(name, ' ' order by name) from office.workspaces); end $$;
create function pg_temp.code(statement text) returns text language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code') from pg_temp.refusal(statement) as r $$;

-- The login of an account.
set local session authorization tester_ada;
select is(pg_temp.seen(), 'acme', 'I6: a login with an account sees what its account sees');
select is((select workspace from office.create_task('hers')), 'acme', 'I2: the workspace is the caller''s only one');
select is(
  (select a.name from office.tasks as t join office.accounts as a on a.id = t.created_by_account_id where t.title = 'hers'), 'ada',
  'I6: and is recorded as that account'
);
-- No setting is read for it.
create temporary table forged (setting text, value text);
insert into forged values
  ('office.acting', jsonb_build_object('account_id', '00000000-0000-7000-8000-000000000001')::text),
  ('request.jwt.claims', '{"account": "ben", "sub": "ben", "role": "office_operator"}'),
  ('office.carrying', '1'),
  ('office.gates', 'all'),
  ('role', 'none'),
  ('session_replication_role', 'replica');
select is_empty(
  $$
    select f.setting
    from forged as f
    where (pg_temp.refusal(format('select set_config(%L, %L, true)', f.setting, f.value))).state is null
      and pg_temp.seen() is distinct from 'acme'
  $$,
  'I6: whatever it sets, it stays who it is'
);
select is((select workspace from office.create_task('still hers')), 'acme', 'I6: in what it does, too');
select is(
  (select a.name from office.tasks as t join office.accounts as a on a.id = t.created_by_account_id where t.title = 'still hers'), 'ada',
  'I6: recorded as who it is'
);
select is_empty(
  $$
    select v.kind
    from office.activity as v
    join office.tasks as t on t.id = v.task_id and t.title = 'still hers'
    left join office.accounts as a on a.id = v.account_id
    where a.name is distinct from 'ada'
  $$,
  'I6: in the activity too'
);
select is(pg_temp.code($$ select office.act_as('ben') $$), 'PT403 forbidden', 'I6: it acts as nobody else');
select is(pg_temp.code($$ select office.act_with('oat_x') $$), 'PT403 forbidden', 'I6: nor with a token');
select is(pg_temp.code('select * from office_internal.gateways'), '42501', 'I1: office_internal is closed');
select is(pg_temp.code($$ select office_internal.caller() $$), '42501', 'I1: its functions too');
select is(pg_temp.code($$ select * from office.create_account('mine', operator => true) $$), 'PT403 forbidden', 'I4: it makes no account');
select is(pg_temp.code($$ select * from office.create_workspace('mine') $$), 'PT403 forbidden', 'I4: nor a workspace');
select is(pg_temp.code($$ select office.set_setting('sweep_seconds', '5', 'office') $$), 'PT403 forbidden', 'I4: it sets nothing for the whole office');
select is(pg_temp.code($$ select * from office.stop('everything') $$), 'PT403 forbidden', 'P2: it does not stop everything');
select is(pg_temp.code($$ select office.audit() $$), '42501', 'I5: it does not audit');
select is(pg_temp.code($$ select office.add_member('bolt', 'ada') $$), 'PT404 not_found', 'I6: it lets itself into no other workspace');
select is(pg_temp.code($$ update office.accounts set operator = true $$), '42501', 'I5: it makes itself no operator');
reset session authorization;

-- Nobody.
set local session authorization tester_nobody;
select results_eq(
  $$ select state, message, detail, hint from pg_temp.refusal('select * from office.agents') $$,
  $$
    values (
      'PT401', 'The login "tester_nobody" is nobody here.', '{"code": "no_identity", "login": "tester_nobody"}'::jsonb,
      'An operator can run: officectl db grant tester_nobody --role client --account NAME'
    )
  $$,
  'I5: nobody is refused, with the command that grants an identity'
);
select set_config('office.acting', '{"account_id": "00000000-0000-7000-8000-000000000001"}', true),
  set_config('request.jwt.claims', '{"account": "ada"}', true);
select is(pg_temp.code('select * from office.workspaces'), 'PT401 no_identity', 'I6: nobody stays nobody, whatever it sets');
select is(pg_temp.code($$ select office.act_as('ada') $$), 'PT403 forbidden', 'I6: nobody acts as somebody');
reset session authorization;
select set_config('office.acting', '', true), set_config('request.jwt.claims', '', true);

-- act_as.
set local session authorization tester_proxy;
select is(pg_temp.code('select * from office.workspaces'), 'PT401 no_identity', 'I6: a gateway that has not said for whom is nobody');
select office.act_as('ADA');
select is(pg_temp.seen(), 'acme', 'I6: act_as: it sees what that account sees');
select office.act_as('ben');
select is(pg_temp.seen(), 'bolt', 'I6: act_as: the last word counts');
select is(pg_temp.code($$ select office.act_as('system') $$), 'PT403 forbidden', 'I6: it does not act as the office');
select is(pg_temp.code($$ select office.act_as('adda') $$), 'PT404 not_found', 'I6: nor as an account that is not');
select is((pg_temp.refusal($$ select office.act_as('adda') $$)).hint, 'Did you mean "ada"?', 'I2: the nearest is named');
select is(pg_temp.code($$ select office.act_with('oat_x') $$), 'PT403 forbidden', 'I6: a gateway of one kind is none of another');
select set_config('request.jwt.claims', '{"account": "ada"}', true);
select is(pg_temp.seen(), 'bolt', 'I6: it reads no claims');
reset session authorization;
select set_config('office.acting', '', true), set_config('request.jwt.claims', '', true);

-- claims.
set local session authorization tester_rest;
select is_empty(
  $$
    select c
    from unnest(array['', '{', '[]', '"ada"', 'null', '{}', '{"account": null}', '{"account": {}}', '{"account": "system"}', '{"sub": "nobody"}',
      '{"account": "00000000-0000-7000-8000-000000000001"}']) as c
    cross join lateral (select set_config('request.jwt.claims', c, true) as done) as s
    where s.done is not null and pg_temp.code('select * from office.workspaces') is distinct from 'PT401 no_identity'
  $$,
  'I6: claims that are malformed, or of no account, mean nobody; and nobody is "system"'
);
select set_config('request.jwt.claims', '{"account": "Ada", "role": "whatever"}', true);
select is(pg_temp.seen(), 'acme', 'I6: claims: it sees what the claimed account sees');
select set_config('request.jwt.claims', '{"sub": "ben"}', true);
select is(pg_temp.seen(), 'bolt', 'I6: claims: sub is read too');
select set_config('office.acting', '{"account_id": "00000000-0000-7000-8000-000000000001"}', true);
select is(pg_temp.seen(), 'bolt', 'I6: it reads no other setting');
reset session authorization;
select set_config('office.acting', '', true), set_config('request.jwt.claims', '', true);

-- token: what act_with did is not to be had by a setting of one's own.
set local session authorization tester_gate;
select is(pg_temp.code('select * from office.workspaces'), 'PT401 no_identity', 'I6: a token gateway without a token is nobody');
select is(pg_temp.code($$ select office.act_as('ada') $$), 'PT403 forbidden', 'I6: nor acts as an account');
select is(
  pg_temp.code($$ select * from office.workspaces, set_config('office.acting', '{"account_id": "nonsense"', true) $$), 'PT401 no_identity',
  'I6: a setting that is no word of the office''s means nobody, not an error'
);
reset session authorization;
select set_config('office.acting', '', true);

-- Operators and the owner.
set local session authorization tester_operator;
select is((select count(*) from office.workspaces), 3::bigint, 'I6: an operator sees every workspace');
select is((select workspace from office.create_task('an operator''s', workspace => 'bolt')), 'bolt', 'I6: and acts in each');
select is(
  (select a.name from office.tasks as t join office.accounts as a on a.id = t.created_by_account_id where t.title = 'an operator''s'), 'system',
  'I6: without an account it acts as system, and is recorded so'
);
reset session authorization;
set local session authorization tester_chief;
select from office.create_workspace('chiefs');
select is(
  (select a.name from office.workspaces as w join office.accounts as a on a.id = w.owner_account_id where w.name = 'chiefs'), 'chief',
  'I6: an operator with an account is recorded as that account'
);
reset session authorization;
select is((select count(*) from office.workspaces), 4::bigint, 'I6: the owner sees every workspace');
select from office.create_task('the owner''s', workspace => 'acme');
select is(
  (select a.name from office.tasks as t join office.accounts as a on a.id = t.created_by_account_id where t.title = 'the owner''s'),
  'system', 'I6: the owner without an account acts as system'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
