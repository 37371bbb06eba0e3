-- office.check_executor: the one judge of an executor's shape, the same for who asks and for what is kept (X1, X4, T13).
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql

select plan(5);

create temporary table shapes (executor jsonb, refused text);
insert into shapes values
  ('{"command": ["/bin/true"]}', ''),
  ('{"command": ["sh", "-c", ""], "folder": "/srv", "environment": {"A": "b"}, "pass_environment": ["C"], "prompt": "argument",
     "limits": {"minutes": 5, "silence_seconds": 0.5, "output_bytes": 1000}}', ''),
  ('{"command": ["claude"], "provider": "anthropic:team", "model": "claude-opus-4-1", "limits": {"turns": 9, "tool_calls": 99}}', ''),
  ('{"command": ["ls"], "provider": "with spaces"}', 'invalid executor.provider'),
  ('{"command": ["ls"], "provider": 7}', 'invalid executor.provider'),
  ('{"command": ["ls"], "provider": null}', 'invalid executor.provider'),
  ('{"command": ["ls"], "model": ""}', 'invalid executor.model'),
  ('{"command": ["ls"], "limits": {"turns": 0}}', 'invalid executor.limits'),
  ('[]', 'invalid executor'),
  ('"ls"', 'invalid executor'),
  ('{}', 'invalid executor.command'),
  ('{"command": "ls"}', 'invalid executor.command'),
  ('{"command": []}', 'invalid executor.command'),
  ('{"command": [""]}', 'invalid executor.command'),
  ('{"command": ["ls", 7]}', 'invalid executor.command'),
  ('{"command": ["ls"], "folder": "srv"}', 'invalid executor.folder'),
  ('{"command": ["ls"], "folder": 7}', 'invalid executor.folder'),
  ('{"command": ["ls"], "environment": {"A": 7}}', 'invalid executor.environment'),
  ('{"command": ["ls"], "environment": []}', 'invalid executor.environment'),
  ('{"command": ["ls"], "pass_environment": "A"}', 'invalid executor.pass_environment'),
  ('{"command": ["ls"], "prompt": "bogus"}', 'invalid executor.prompt'),
  ('{"command": ["ls"], "prompt": null}', 'invalid executor.prompt'),
  ('{"command": ["ls"], "limits": {"minutes": 0}}', 'invalid executor.limits'),
  ('{"command": ["ls"], "limits": {"hours": 1}}', 'invalid executor.limits'),
  ('{"preset": "claude"}', ''),
  ('{"kind": "command", "preset": "codex", "model": "gpt-5", "permissions": "all"}', ''),
  ('{"preset": "gemini", "command": ["/opt/gemini"], "permissions": "ask"}', ''),
  ('{"kind": "acp", "command": ["opencode", "acp"]}', ''),
  ('{"kind": "acp"}', 'invalid executor.command'),
  ('{"kind": "acp", "preset": "claude"}', 'invalid executor.preset'),
  ('{"kind": "ftp", "command": ["ls"]}', 'invalid executor.kind'),
  ('{"preset": "cursor"}', 'invalid executor.preset'),
  ('{"preset": "claude", "command": "claude"}', 'invalid executor.command'),
  ('{"preset": "claude", "prompt": "argument"}', 'invalid executor.prompt'),
  ('{"preset": "claude", "permissions": "yes"}', 'invalid executor.permissions'),
  ('{"command": ["ls"], "zzz": 1}', 'unknown_field executor.zzz');

create function pg_temp.said(statement text) returns text language sql
as $$ select concat_ws(' ', r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r $$;

select results_eq(
  $$ select executor, pg_temp.said(format('select office.check_executor(%L)', executor)) from shapes order by executor $$,
  $$ select executor, refused from shapes order by executor $$,
  'X4: what nothing could launch is refused, by its field'
);
select is_empty(
  $$
    select executor from shapes
    where pg_temp.said(format('select office.create_agent(%L, executor => %L)', 'a' || md5(executor::text), executor)) is distinct from refused
  $$,
  'T13: … and the same when an agent is made of it'
);
select is(pg_temp.said('select office.check_executor(null)'), 'missing executor', 'I3: there must be one');
select is_empty($$ select from office.agents where name like 'a%' and executor -> 'zzz' is not null $$, 'X4: nothing was kept of what was refused');
set local role office_reader;
select lives_ok($$ select office.check_executor('{"command": ["/bin/true"]}') $$, 'X4: who only reads may ask');
reset role;

select * from finish();
rollback;
