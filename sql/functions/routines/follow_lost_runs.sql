-- office_internal.follow_lost_runs: a run of a routine's task that gave up or is blocked is the end of that fire, failed, and its task goes
-- to blocked, so that one bad day does not stop a daily routine for ever (R12). One that is tried again takes the fire up again.
-- The caller holds the gates.
create or replace function office_internal.follow_lost_runs(lost_run_ids uuid[], revived_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_fire record;
begin
  -- Run by run, and from there by index: most runs are no routine's, whatever their number.
  for v_fire in
    select f.id, f.linked_task_id, r.id as run_id, r.workspace_id, r.agent_id, r.attempt_id, r.status
    from unnest(lost_run_ids || revived_run_ids) as u (id)
    cross join lateral (select n.* from office.runs as n where n.id = u.id limit 1) as r
    cross join lateral (
      select o.id, o.linked_task_id
      from office.routine_runs as o
      where o.linked_task_id = r.task_id and o.coalesced_into_run_id is null and o.status in ('task_created', 'failed')
      limit 1
    ) as f
    order by f.id
  loop
    if v_fire.run_id = any(lost_run_ids) then
      update office.routine_runs as f
      set status = 'failed', linked_run_id = v_fire.run_id, ended_at = office_internal.wall_clock(),
        error = (select a.error from office.attempts as a where a.id = v_fire.attempt_id)
      where f.id = v_fire.id and f.status = 'task_created';
      insert into office_internal.changes (workspace_id, kind, task_id, from_state, to_state, account_id, attempt_id, agent_id)
      select
        v_fire.workspace_id, 'move_task', t.id, 'in_progress', 'blocked', office_internal.system_account(), v_fire.attempt_id,
        v_fire.agent_id
      from office.tasks as t
      where t.id = v_fire.linked_task_id and t.state = 'in_progress';
    elsif v_fire.status not in ('cancelled', 'finished') then
      update office.routine_runs as f
      set status = 'task_created', error = null, ended_at = null
      where f.id = v_fire.id and f.status = 'failed'
        and exists (select from office.tasks as t where t.id = v_fire.linked_task_id and not office_internal.is_closed(t));
    end if;
  end loop;
end
$$;

comment on function office_internal.follow_lost_runs(uuid[], uuid[]) is 'Ends routines'' fires whose run gave up.';
