-- S4, S5, P7, sc-D5: what shares a folder waits, with the reason and what lifts it, and goes when the folder is free.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/resources.psql
select plan(32);

-- Folders, by their components.
select pg_temp.scenario('folders', 'idle');
select pg_temp.works_in('mid', '/a/b'), pg_temp.works_in('same', '/a/b'), pg_temp.works_in('in', '/a/b/c'), pg_temp.works_in('around', '/a'),
  pg_temp.works_in('beside', '/a/bc'), pg_temp.works_in('root', '/'), pg_temp.works_in('free', null),
  pg_temp.works_in('tree', '/a/b', '{"worktree": "w1"}'), pg_temp.works_in('tree2', '/a/b', '{"worktree": "w2"}'),
  pg_temp.works_in('reader', '/a/b', '{"folder_shared": true}');
select pg_temp.wake('mid') as mid \gset
select is(pg_temp.claim(), 'mid:user', 'sc-D5: the first in a folder runs');
select pg_temp.start(:'mid');
select is(pg_temp.holds(:'mid'), 'folder:server:/a/b', 'S4: and holds it');
select pg_temp.wake('same') as same, pg_temp.wake('in') as in, pg_temp.wake('around') as around, pg_temp.wake('root') as root \gset
select pg_temp.wake('beside') as beside, pg_temp.wake('free') as free, pg_temp.wake('tree') as tree, pg_temp.wake('reader') as reader \gset
select is(
  pg_temp.claim(), 'beside:user, free:user, tree:user, reader:user',
  'sc-D5: /a/bc runs, and so do one without a folder, one in a worktree of its own, and one whose folder is shared'
);
select is(pg_temp.holds(:'tree'), 'worktree:w1', 'S4: a run in its own worktree holds only that');
select is(pg_temp.holds(:'reader'), null, 'S4: a shared folder gives no key');
select is(pg_temp.holds(:'free'), null, 'S4: nor does none');
select results_eq(
  format('select pg_temp.waits(w) from unnest(%L::uuid[]) with ordinality as n (w, o) order by o', array[:'same', :'in', :'around', :'root']),
  format($$ select format('Same folder as r%%s of mid, which is running | select * from office.stop(''r%%s'');', r.number, r.number)
    from pg_temp.run(%L) as r, generate_series(1, 4) $$, :'mid'),
  'S5: the same folder, one inside and those around it wait, and say why and what lifts it'
);
select is_empty('select * from office.audit()', 'Q26: the books');
select pg_temp.finish(:'mid');
select is(pg_temp.claim(), '', 'P7: they wait until nothing of it is left');
select is(
  pg_temp.waits(:'same'), format('Same folder as r%s of mid, which is being cleaned up | select office.release_resources(''r%s'');', r.number, r.number),
  'P7: and say so'
) from pg_temp.run(:'mid') as r;
select is(pg_temp.holds(:'mid'), 'folder:server:/a/b?', 'P7: its keys stand until then');
select is_empty('select * from office.audit()', 'Q26: the books');
select pg_temp.clean(:'mid');
select is(pg_temp.holds(:'mid'), null, 'P7: its launcher says that nothing is left');
select is(pg_temp.claim(), 'same:user', 'P7: the next goes, one at a time where they overlap');
select pg_temp.start(:'same'), pg_temp.finish(:'same'), pg_temp.clean(:'same');
select is(pg_temp.claim(), 'in:user', 'P7: and the next');
select is(
  pg_temp.waits(:'around'), format('Same folder as r%s of in, which is running | select * from office.stop(''r%s'');', r.number, r.number),
  'S5: what waits on says for whom now'
) from pg_temp.run(:'in') as r;
select pg_temp.start(:'in'), pg_temp.finish(:'in'), pg_temp.clean(:'in');
select is(pg_temp.claim(), '', 'S4: /a waits for /a/bc as well');
select pg_temp.start(:'beside'), pg_temp.finish(:'beside'), pg_temp.clean(:'beside');
select is(pg_temp.claim(), 'around:user', 'S4: and goes when nothing inside is held');
select pg_temp.start(:'around'), pg_temp.finish(:'around'), pg_temp.clean(:'around');
select is(pg_temp.claim(), 'root:user', 'S4: / is around all');
select is_empty('select * from office.audit()', 'Q26: the books');

-- One call.
select pg_temp.scenario('call', 'idle');
select pg_temp.works_in('one', '/call'), pg_temp.works_in('two', '/call/x'), pg_temp.works_in('three', '/call2');
select pg_temp.wake('one') as one, pg_temp.wake('two') as two, pg_temp.wake('three') as three \gset
select set_config('testing.root', (select format('select office.stop(''r%s'')', number) from pg_temp.run(:'root')), true);
select pg_temp.start(:'root'), pg_temp.finish(:'root'), pg_temp.clean(:'root');
select is(pg_temp.claim(), 'one:user, three:user', 'S4: of two that want one folder in one call the first launches');
select matches(pg_temp.waits(:'two'), '^Same folder as r\d+ of one, which is running', 'S5: and the other waits for it');
select is_empty('select * from office.audit()', 'Q26: the books');
select pg_temp.start(:'one'), pg_temp.start(:'three');

-- Projects: what their runs share.
select pg_temp.scenario('projects', 'ann', 'bob', 'cid', 'dee');
select office.create_project('shop', '/p/shop', 'https://example.org/shop', workspace => 'projects'),
  office.create_project('copy', '/p/copy', 'https://example.org/shop', workspace => 'projects'),
  office.create_project('notes', repo => 'https://example.org/shop', workspace => 'projects');
select (office.create_task('Mend it', assignee => 'ann', project => 'shop', workspace => 'projects')).task as mend \gset
select is(pg_temp.claim(), 'ann:task_assigned', 'S4: the first of a project');
select is(
  (select string_agg(replace(h.key, j.id::text, 'shop'), ', ' order by h.key)
    from office.resources as h join office.projects as j on j.name = 'shop'
    where h.workspace_id = j.workspace_id),
  'folder:server:/p/shop, project:shop, repo:https://example.org/shop', 'S4: holds project, repository and folder'
);
select office.create_task('Paint it', assignee => 'bob', project => 'shop', workspace => 'projects'),
  office.create_task('Copy it', assignee => 'cid', project => 'copy', workspace => 'projects'),
  office.create_task('Note it', assignee => 'dee', project => 'notes', workspace => 'projects');
select is(pg_temp.claim(), 'dee:task_assigned', 'S4: one without a folder passes');
select results_eq(
  $$ select t.title, r.parked_detail from office.runs as r join office.tasks as t on t.id = r.task_id where r.parked = 'resource' and t.title <> '' order by 1 $$,
  $$ values ('Copy it', 'Same repository as "Mend it", which is running'), ('Paint it', 'Same folder as "Mend it", which is running') $$,
  'S5: the others say what they share, and with which task'
);
-- A project that moves to another folder has its runs looked at again.
update office.projects set folder = '/p/elsewhere', repo = null where name = 'copy';
select is(pg_temp.claim(), 'cid:task_assigned', 'S4: what no longer shares anything goes');
select is_empty('select * from office.audit()', 'Q26: the books');

-- Nobody learns another workspace's work from a wait.
select pg_temp.scenario('strangers', 'idle');
select pg_temp.works_in('spy', '/p/shop/src');
select pg_temp.wake('spy') as spy \gset
select is(pg_temp.claim(), '', 'S4: folders are the host''s, whichever workspace works there');
select is((pg_temp.run(:'spy')).parked_detail, 'Same folder as a run of another workspace, which is running', 'K11: without its name');
select is_empty('select * from office.audit()', 'Q26: the books');

select * from finish();
rollback;
