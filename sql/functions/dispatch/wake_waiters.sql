-- office_internal.wake_waiters: the runs that wait for a key which these signals say was freed, to be looked at again. A key that was
-- freed in a workspace is told to the others where somebody waits for it ('resource'). In each workspace the first 50 are
-- looked at, and a new signal goes on behind them, unless all must still wait: a crowd behind one folder costs each end of a run there the
-- same. A run that was parked just now is looked at once more, for whoever freed its key meanwhile did not see it.
-- The caller holds the gates.
create or replace function office_internal.wake_waiters(signals office_internal.signals[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_signal record;
  v_first uuid[];
  v_runs uuid[] := array(select s.event_id from unnest(signals) as s where s.kind = 'resource' and s.key is null);
begin
  for v_signal in
    select s.workspace_id, s.key, x.above, x.inside_from, x.inside_to, bool_or(s.kind = 'freed') as here,
      case when bool_and(s.event_id is not null) then min(s.event_id::text)::uuid end as after
    from unnest(signals) as s
    cross join lateral office_internal.key_reach(s.key) as x
    where s.kind in ('freed', 'resource') and s.key is not null
    group by s.workspace_id, s.key, x.above, x.inside_from, x.inside_to
    order by s.workspace_id, s.key
  loop
    continue when exists (select from office.resources as h where h.key = any(v_signal.above));
    if v_signal.here then
      insert into office_internal.signals (workspace_id, kind, key)
      select w.workspace_id, 'resource', v_signal.key
      from office_internal.resource_waits as w
      where w.key = any(v_signal.above) and w.workspace_id <> v_signal.workspace_id
      union
      select w.workspace_id, 'resource', v_signal.key
      from office_internal.resource_waits as w
      where w.key > v_signal.inside_from and w.key < v_signal.inside_to and w.workspace_id <> v_signal.workspace_id;
    end if;
    v_first := array(
      select w.run_id
      from (
        select a.run_id
        from unnest(v_signal.above) as n (key)
        cross join lateral (
          select w.run_id
          from office_internal.resource_waits as w
          where w.key = n.key and w.workspace_id = v_signal.workspace_id
            and w.run_id > coalesce(v_signal.after, '00000000-0000-0000-0000-000000000000')
          order by w.run_id
          limit 50
        ) as a
        union
        select w.run_id
        from office_internal.resource_waits as w
        where w.key > v_signal.inside_from and w.key < v_signal.inside_to and w.workspace_id = v_signal.workspace_id
          and w.run_id > coalesce(v_signal.after, '00000000-0000-0000-0000-000000000000')
      ) as w
      order by w.run_id
      limit 50
    );
    if cardinality(v_first) = 50 then
      insert into office_internal.signals (workspace_id, kind, key, event_id)
      values (v_signal.workspace_id, 'resource', v_signal.key, v_first[50]);
    end if;
    v_runs := v_runs || v_first;
  end loop;
  return v_runs;
end
$$;

comment on function office_internal.wake_waiters(office_internal.signals[]) is 'Runs that wait for keys which were freed.';
