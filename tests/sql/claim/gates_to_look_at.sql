-- A15, Q11: where a claim looks while the oldest signals are one workspace's backlog.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
select plan(3);

select pg_temp.scenario('backlog', 'ann');
select pg_temp.scenario('other', 'bob');
delete from office_internal.signals;
select office.wake('ann', workspace => 'backlog') from generate_series(1, 100);
select pg_temp.wake('bob') as w \gset

select is(
  (
    select count(*) filter (where cardinality(g.ids) = 2)
    from generate_series(1, 300) as n
    cross join lateral (select office_internal.gates_to_look_at('0', 1, null) as ids where n > 0) as g
  ),
  300::bigint, 'A15: in a small office the window holds every workspace, whichever turn it is'
);

-- More gates than a window has: every one is in some window of a round
do $$ begin perform office.create_workspace('more' || n) from generate_series(1, 140) as n; end $$;
delete from office_internal.signals as s where s.workspace_id not in (select w.id from office.workspaces as w where w.name = 'backlog');
insert into office_internal.signals (workspace_id, kind)
select w.id, 'look' from office.workspaces as w where w.name <> 'backlog';
select is(
  (
    select count(distinct i.id)
    from generate_series(1, 3) as n
    cross join lateral (select office_internal.gates_to_look_at('0', 1, null) as ids where n > 0) as g
    cross join unnest(g.ids) as i (id)
  ),
  (select count(*) from office_internal.gates), 'A15: a round of the windows is over every workspace'
);
select is(
  (
    select max(cardinality(g.ids))
    from generate_series(1, 6) as n
    cross join lateral (select office_internal.gates_to_look_at('0', 1, null) as ids where n > 0) as g
  ),
  65, 'Q14: a look is over one window and the backlog, no more'
);

select * from finish();
rollback;
