-- S4, sc-D5: a folder that a running run began to change counts from then on, and keeps nobody waiting.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/resources.psql
select plan(21);

create function pg_temp.add(wakeup uuid, key text) returns integer language sql
as $$ select office.add_resource(pg_temp.attempt(wakeup), key) $$;
create function pg_temp.notes(wakeup uuid) returns text language sql
as $$
  select string_agg(s.content, ' / ' order by s.sequence desc)
  from office.attempt_steps as s where s.attempt_id = pg_temp.attempt(wakeup) and s.kind = 'note'
$$;

select pg_temp.scenario('added', 'ann', 'bob');
select pg_temp.works_in('mid', '/a/b'), pg_temp.works_in('late', '/x/y/z');
select pg_temp.wake('ann') as ann, pg_temp.wake('bob') as bob, pg_temp.wake('mid') as mid \gset
select pg_temp.claim();
select pg_temp.start(:'ann'), pg_temp.start(:'bob'), pg_temp.start(:'mid');
select office.record_steps(pg_temp.attempt(:'mid'), '[{"sequence": 1, "kind": "message", "content": "hello"}]');

select is(pg_temp.add(:'ann', 'folder:server:/x/y'), 0, 'sc-D5: a folder is added while it runs');
select is(pg_temp.add(:'ann', 'folder:server:/x/y'), 0, 'S4: and once more is nothing new');
select is(pg_temp.holds(:'ann'), 'folder:server:/x/y+', 'S4: it is held');
select is(pg_temp.notes(:'ann'), null, 'S4: nobody is there');
select pg_temp.wake('late') as late \gset
select is(pg_temp.claim(), '', 'sc-D5: from then on others wait for it');
select matches(pg_temp.waits(:'late'), '^Same folder as r\d+ of ann, which is running', 'S5: and say so');

select is(pg_temp.add(:'bob', 'folder:server:/a'), 1, 'S4: adding one that overlaps another''s neither waits nor is refused');
select is(
  array[pg_temp.notes(:'bob'), pg_temp.notes(:'mid')]::text,
  array[
    format('folder:server:/a is worked on by others as well: r%s.', (pg_temp.run(:'mid')).number),
    format('r%s works on folder:server:/a as well.', (pg_temp.run(:'bob')).number)
  ]::text, 'S4: it becomes a step on both'
);
select is(pg_temp.add(:'ann', 'folder:server:/a/b/c'), 2, 'S4: also with two');
select is(
  (select array_agg(s.content order by s.sequence) from office.attempt_steps as s where s.attempt_id = pg_temp.attempt(:'mid') and s.sequence > 0),
  array['hello'], 'E1: a program''s own steps keep their numbers'
);
select is(
  office.record_steps(pg_temp.attempt(:'mid'), '[{"sequence": 2, "kind": "message", "content": "on"}]'), 1, 'E1: and go on from there'
);
select is_empty('select * from office.audit()', 'Q26: overlaps that were added are no mistake');

select is(
  (pg_temp.refusal(format('select office.add_resource(%L, %L)', pg_temp.attempt(:'ann'), k))).detail ->> 'code', 'invalid', 'S4: no key: ' || coalesce(k, 'null')
)
from unnest(array['/x', 'folder:server:x', 'folder:server:/x/', 'session:1', null]) with ordinality as n (k, o)
order by o;

select pg_temp.finish(:'ann'), pg_temp.clean(:'ann');
select is(
  (pg_temp.refusal(format('select office.add_resource(%L, %L)', pg_temp.attempt(:'ann'), 'folder:server:/q'))).detail ->> 'code', 'already_ended',
  'Q16: an attempt that is over adds nothing'
);
select is(pg_temp.holds(:'ann'), null, 'P7: what was added goes like the rest');
select is(pg_temp.claim(), 'late:user', 'P7: and who waited goes');
select is_empty('select * from office.audit()', 'Q26: the books');

select * from finish();
rollback;
