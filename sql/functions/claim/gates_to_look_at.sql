-- office_internal.gates_to_look_at: the workspaces where a claim may find something: those of the oldest signals since a transaction,
-- in order, and those whose timer is due; for a worker of one workspace that one. Each once: what a claim leaves
-- behind in a workspace is for after its commit. Takes no lock.
-- Where the oldest signals are the backlog of a few workspaces, the others are not to wait until that is worked off: a window of all
-- gates, which moves on with each such look, is searched for signals, and what is found there comes first, but for one
-- look in eight. The window moves by a sequence, which leaves no dead rows.
create or replace function office_internal.gates_to_look_at(since xid8, max_runs integer, only_workspace_id uuid)
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_read integer := greatest(64, least(4 * max_runs, 1000));
  v_now timestamptz := office_internal.wall_clock();
  v_signals bigint;
  v_gates uuid[];
  v_turn bigint;
  v_first bigint;
  v_others uuid[];
begin
  if only_workspace_id is not null then
    return array(
      select g.workspace_id
      from office_internal.gates as g
      where g.workspace_id = only_workspace_id and (
        g.due_at <= v_now
        or exists (
          select from office_internal.signals as q where q.workspace_id = g.workspace_id and q.xid >= gates_to_look_at.since
        )
      )
    );
  end if;
  select coalesce(array_agg(s.workspace_id order by s.place), '{}'), sum(s.signals)
  into v_gates, v_signals
  from (
    select c.workspace_id, min(c.place) as place, count(*) as signals
    from (
      select n.workspace_id, row_number() over () as place
      from (
        select q.workspace_id
        from office_internal.signals as q
        where q.xid >= gates_to_look_at.since
        order by q.xid
        limit v_read
      ) as n
    ) as c
    group by c.workspace_id
  ) as s;
  v_gates := v_gates || array(
    select g.workspace_id
    from office_internal.gates as g
    where g.due_at <= v_now and g.workspace_id <> all(v_gates)
    order by g.due_at
    limit 16
  );
  if coalesce(v_signals, 0) < v_read or cardinality(v_gates) > 8 then
    return v_gates;
  end if;
  v_turn := nextval('office_internal.gate_turn');
  v_first := v_turn * 64 % ((select max(g.number) + 64 from office_internal.gates as g) / 64 * 64);
  v_others := array(
    select g.workspace_id
    from office_internal.gates as g
    where g.number >= v_first and g.number < v_first + 64
      and g.workspace_id <> all(v_gates)
      and exists (
        select from office_internal.signals as q where q.workspace_id = g.workspace_id and q.xid >= gates_to_look_at.since
      )
    order by g.number
  );
  return case when v_turn % 8 = 0 then v_gates || v_others else v_others || v_gates end;
end
$$;

comment on function office_internal.gates_to_look_at(xid8, integer, uuid)
is 'Workspaces where a claim may find something, in the order to look.';
