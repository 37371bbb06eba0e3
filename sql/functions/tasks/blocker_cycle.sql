-- office_internal.blocker_cycle: a way on which one of these tasks waits for itself, now that each waits for its blocker: numbers, the task
-- first and last; null when there is none (T8). The arrays are parallel; what they say is in the table.
-- A cycle lies within what the blockers wait for, and within what waits for the tasks; the smaller of the two is looked through, so that a
-- task at either end of the longest chain costs next to nothing.
create or replace function office_internal.blocker_cycle(tasks uuid[], blockers uuid[])
returns text[]
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
set enable_seqscan = off
set enable_mergejoin = off
as $$
declare
  v_nodes uuid[] := office_internal.blocker_side(tasks, blockers);
  v_tasks integer[];
  v_blockers integer[];
  v_first integer[];
  v_dependants integer[];
  v_seen integer[] := array_fill(0, array[cardinality(v_nodes)]);  -- 0 not yet, 1 on the way here, 2 done with
  v_via integer[] := v_seen;
  v_way integer[] := '{}'::integer[];
  v_next integer[] := '{}'::integer[];
  v_depth integer;
  v_node integer;
  v_other integer;
  v_from integer;
  v_to integer;
  v_path text[];
begin
  select array_agg(t.n order by r.nth), array_agg(b.n order by r.nth) into v_tasks, v_blockers
  from unnest(tasks, blockers) with ordinality as r (task, blocker, nth)
  join unnest(v_nodes) with ordinality as t (id, n) on t.id = r.task
  join unnest(v_nodes) with ordinality as b (id, n) on b.id = r.blocker;
  if v_tasks is null then
    return null;
  end if;
  -- Who waits for node n: v_dependants from v_first[n] on, before v_first[n + 1].
  with waits as materialized (
    select b.n as node, t.n as dependant
    from unnest(v_nodes) with ordinality as t (id, n)
    join office.task_blockers as k on k.task_id = t.id
    join unnest(v_nodes) with ordinality as b (id, n) on b.id = k.blocker_task_id
  )
  select
    (select array_agg(w.dependant order by w.node, w.dependant) from waits as w),
    (
      select array_agg(1 + c.before order by c.n)
      from (
        select
          g.n, coalesce(sum(w.many) over (order by g.n rows between unbounded preceding and 1 preceding), 0)::integer as before
        from generate_series(1, cardinality(v_nodes) + 1) as g (n)
        left join (select waits.node, count(*) as many from waits group by waits.node) as w on w.node = g.n
      ) as c
    )
  into v_dependants, v_first;
  -- In depth, each once: who is met again on the way there waits for himself.
  foreach v_node in array v_tasks loop
    continue when v_seen[v_node] > 0;
    v_depth := 1;
    v_way[1] := v_node;
    v_next[1] := v_first[v_node];
    v_seen[v_node] := 1;
    while v_depth > 0 and v_from is null loop
      v_node := v_way[v_depth];
      if v_next[v_depth] >= v_first[v_node + 1] then
        v_seen[v_node] := 2;
        v_depth := v_depth - 1;
        continue;
      end if;
      v_other := v_dependants[v_next[v_depth]];
      v_next[v_depth] := v_next[v_depth] + 1;
      if v_seen[v_other] = 0 then
        v_depth := v_depth + 1;
        v_way[v_depth] := v_other;
        v_next[v_depth] := v_first[v_other];
        v_seen[v_other] := 1;
      elsif v_seen[v_other] = 1 then
        v_from := v_other;
      end if;
    end loop;
    exit when v_from is not null;
  end loop;
  if v_from is null then
    return null;
  end if;
  -- One of its rows is new; the shortest way back from there, in breadth.
  select r.task, r.blocker into v_from, v_to
  from unnest(v_tasks, v_blockers) as r (task, blocker)
  join unnest(v_way[array_position(v_way, v_from):v_depth]) with ordinality as w (node, nth) on w.node = r.blocker
  join unnest(v_way[array_position(v_way, v_from):v_depth]) with ordinality as x (node, nth)
    on x.node = r.task and (x.nth = w.nth + 1 or (x.nth = 1 and w.node = v_way[v_depth]))
  limit 1;
  v_way := array[v_from];
  v_via[v_from] := v_from;
  v_depth := 1;
  while v_via[v_to] = 0 loop
    v_node := v_way[v_depth];
    for v_at in v_first[v_node]..v_first[v_node + 1] - 1 loop
      v_other := v_dependants[v_at];
      if v_via[v_other] = 0 then
        v_via[v_other] := v_node;
        v_way := v_way || v_other;
      end if;
    end loop;
    v_depth := v_depth + 1;
  end loop;
  v_way := array[v_from, v_to];
  while v_to <> v_from loop
    v_to := v_via[v_to];
    v_way := v_way || v_to;
  end loop;
  select array_agg('t' || t.number order by w.nth) into v_path
  from unnest(v_way) with ordinality as w (node, nth)
  join office.tasks as t on t.id = v_nodes[w.node];
  return v_path;
end
$$;

comment on function office_internal.blocker_cycle(uuid[], uuid[]) is 'A way on which tasks wait for themselves, or null.';

-- office_internal.blocker_side: what these blockers wait for, in however many steps, and they themselves; or what waits for these tasks
-- and they: whichever is looked through first, both a little further each time.
create or replace function office_internal.blocker_side(tasks uuid[], blockers uuid[])
returns uuid[]
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_most bigint := 64 + 2 * cardinality(tasks);
  v_side uuid[];
begin
  loop
    v_side := array(
      with recursive above as (
        select t.id from unnest(tasks) as t (id)
        union
        select k.task_id from above join office.task_blockers as k on k.blocker_task_id = above.id
      )
      select above.id from above limit v_most
    );
    exit when cardinality(v_side) < v_most;
    v_side := array(
      with recursive below as (
        select b.id from unnest(blockers) as b (id)
        union
        select k.blocker_task_id from below join office.task_blockers as k on k.task_id = below.id
      )
      select below.id from below limit v_most
    );
    exit when cardinality(v_side) < v_most;
    v_most := 8 * v_most;
  end loop;
  return v_side;
end
$$;

comment on function office_internal.blocker_side(uuid[], uuid[]) is 'One of the two sides on which a cycle of blockers would lie.';
