-- S4: which keys overlap, and what a path is. Every pair both ways, against the plain definition by components.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(9);

create function pg_temp.overlap(a text, b text) returns boolean language sql
as $$
  select b = any(x.above) or (b collate "C" > x.inside_from collate "C" and b collate "C" < x.inside_to collate "C")
  from office_internal.key_reach(a) as x
$$;
create temporary table keys (key text, host text, parts text[]);
insert into keys
select 'folder:' || host || ':/' || array_to_string(parts, '/'), host, parts
from unnest(array['server', 'serve', 'laptop']) as host,
  (select array_remove(array[a, b, c], null) as parts
    from unnest(array['a', 'a b', 'a0', 'a-', 'a.', 'ä', 'a''', 'a\', '%', null]) as a, unnest(array['b', 'bc', 'b0', 'b.', null]) as b,
      unnest(array['c', '_', null]) as c
    where (a is not null or b is null) and (b is not null or c is null)) as p;
select cmp_ok((select count(*) from keys), '>', 300::bigint, 'there are many folders to compare');
select is_empty(
  $$
    select x.key, y.key
    from keys as x, keys as y
    where pg_temp.overlap(x.key, y.key) is distinct from (
      x.host = y.host and (x.parts = y.parts[1:cardinality(x.parts)] or y.parts = x.parts[1:cardinality(y.parts)])
    )
  $$,
  'S4: two folders overlap when they are the same, one inside the other, or one around it, on one host'
);
select isnt_empty(
  $$ select from keys as x, keys as y where x.key <> y.key and x.host = y.host and y.key like x.key || '%' and not pg_temp.overlap(x.key, y.key) $$,
  'K13: by their text alone more would'
);
select ok(pg_temp.overlap(k, k), 'S4: a key overlaps itself') from unnest(array['repo:https://example.org/a']) as k;
select ok(not pg_temp.overlap(a, b), format('S4: %s and %s do not overlap', a, b))
from (values ('repo:https://example.org/a', 'repo:https://example.org/a/b'), ('worktree:a', 'worktree:a/b')) as v (a, b);
select results_eq(
  $$
    select p, office_internal.is_path(p), office_internal.normal_path(p)
    from unnest(array['/', '/a', '/a/b.c', '/a/..b', '/a/', '//a', '/a/./b', '/a/../b', '/..', '/a/.', '/a b'])
      with ordinality as n (p, o) order by o
  $$,
  $$
    values ('/', true, '/'), ('/a', true, '/a'), ('/a/b.c', true, '/a/b.c'), ('/a/..b', true, '/a/..b'), ('/a/', false, '/a'),
      ('//a', false, '/a'), ('/a/./b', false, '/a/b'), ('/a/../b', false, '/b'), ('/..', false, '/'), ('/a/.', false, '/a'),
      ('/a b', true, '/a b')
  $$,
  'S4: paths in their normal form, and others'' normal forms'
);
select is(
  (office_internal.normal_path('/a/' || repeat('x', 600) || '/' || repeat('y', 600)), office_internal.is_path('/' || repeat('x', 1000))),
  ('/a/' || repeat('x', 600), false), 'S4: a path that is too long stands for a folder around it'
);
select is(
  array(
    select (pg_temp.refusal(format('select office.create_project(%L, %L)', 'p', p))).message
    from unnest(array['a', '/a/', '/a/../b', '/a//b']) as p
  )::text,
  array(
    select format('"%s" is not an absolute path without ".", ".." or a slash at its end.', p)
    from unnest(array['a', '/a/', '/a/../b', '/a//b']) as p
  )::text,
  'S4: a project''s folder is one'
);

select * from finish();
rollback;
