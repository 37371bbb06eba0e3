-- office_internal.recover_tasks: once a minute and workspace, wakes the agents of tasks that nobody started, as task_assigned (T11), at
-- most recovery_limit a sweep, with activity; a sweep that finds nothing leaves nothing. Answers how many. Of two sweeps at once the
-- second leaves it to the first. Takes no gate.
create or replace function office_internal.recover_tasks()
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_workspaces uuid[] := array(
    select distinct t.workspace_id
    from office_internal.unstarted_tasks(array(
      select g.workspace_id
      from office_internal.gates as g
      where not exists (
        select from office_internal.recovery_slots as s
        where s.workspace_id = g.workspace_id and s.swept_at >= date_trunc('minute', v_now)
      )
    ), v_now) as t
  );
  v_woken integer;
begin
  if cardinality(v_workspaces) = 0 or not office_internal.take_piece('recovery') then
    return 0;
  end if;
  with taken as (
    insert into office_internal.recovery_slots as s (workspace_id, swept_at)
    select w.id, date_trunc('minute', v_now) from unnest(v_workspaces) as w (id) order by w.id
    on conflict (workspace_id) do update
    set swept_at = excluded.swept_at
    where s.swept_at < excluded.swept_at
    returning s.workspace_id
  )
  select array_agg(taken.workspace_id) into v_workspaces from taken;
  -- A new statement: what another sweep has woken for meanwhile is seen.
  with found as materialized (
    select t.*, row_number() over (partition by t.workspace_id order by t.created_at, t.id) as nth
    from office_internal.unstarted_tasks(v_workspaces, v_now) as t
  ),
  made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, account_id, requested_at
    )
    select
      f.workspace_id, f.assignee_agent_id, 'task_assigned', 'event', 'assignee', f.id, jsonb_build_object('task_id', f.id),
      k.base || 1 + (
        select coalesce(max(substr(o.idempotency_key, length(k.base) + 1)::bigint), 0)
        from office.wakeups as o
        where o.workspace_id = f.workspace_id and o.idempotency_key >= k.base and o.idempotency_key < k.base || ':'
      ),
      0, office_internal.system_account(), office.now()
    from found as f
    cross join lateral (
      select format('task_assigned:%s:%s:recovery:', f.id, f.assignee_agent_id) collate "C" as base
    ) as k
    where f.nth <= office_internal.setting('recovery_limit', f.workspace_id)::integer
    order by f.workspace_id, f.nth
    on conflict do nothing
    returning id, workspace_id, agent_id, task_id, account_id
  ),
  told as (
    insert into office_internal.signals (workspace_id, kind, wakeup_id, account_id)
    select m.workspace_id, 'wakeup', m.id, m.account_id from made as m
  ),
  noted as (
    insert into office.activity (workspace_id, at, kind, account_id, agent_id, task_id, wakeup_id, detail)
    select m.workspace_id, v_now, 'recovery_dispatch', m.account_id, m.agent_id, m.task_id, m.id, '{}' from made as m
  ),
  summed as (
    insert into office.activity (workspace_id, at, kind, account_id, detail)
    select
      m.workspace_id, v_now, 'recovery_sweep_complete', office_internal.system_account(), jsonb_build_object('dispatched_count', count(*))
    from made as m
    group by m.workspace_id
  )
  select count(*) into v_woken from made;
  return v_woken;
end
$$;

comment on function office_internal.recover_tasks() is 'Wakes for tasks that nobody started.';
