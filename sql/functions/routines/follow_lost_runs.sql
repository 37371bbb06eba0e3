-- office_internal.follow_lost_runs: a run of a routine's task that gave up or is blocked is the end of that fire, failed, and its task goes
-- to blocked, so that one bad day does not stop a daily routine for ever (R12). One that is tried again takes the fire up again.
-- The caller holds the gates.
create or replace function office_internal.follow_lost_runs(lost_run_ids uuid[], revived_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  with lost as (
    update office.routine_runs as f
    set status = 'failed', linked_run_id = r.id, error = a.error, ended_at = office_internal.wall_clock()
    from office.runs as r
    left join office.attempts as a on a.id = r.attempt_id
    where r.id = any(lost_run_ids) and r.task_id is not null
      and f.linked_task_id = r.task_id and f.coalesced_into_run_id is null and f.status = 'task_created'
    returning f.linked_task_id, f.workspace_id, r.agent_id, r.attempt_id
  )
  insert into office_internal.changes (workspace_id, kind, task_id, from_state, to_state, account_id, attempt_id, agent_id)
  select l.workspace_id, 'move_task', t.id, 'in_progress', 'blocked', office_internal.system_account(), l.attempt_id, l.agent_id
  from lost as l
  join office.tasks as t on t.id = l.linked_task_id and t.state = 'in_progress'
  order by t.id;
  update office.routine_runs as f
  set status = 'task_created', error = null, ended_at = null
  from office.runs as r
  join office.tasks as t on t.id = r.task_id
  where r.id = any(revived_run_ids) and r.status not in ('cancelled', 'finished') and not office_internal.is_closed(t)
    and f.linked_task_id = r.task_id and f.coalesced_into_run_id is null and f.status = 'failed';
end
$$;

comment on function office_internal.follow_lost_runs(uuid[], uuid[]) is 'Ends routines'' fires whose run gave up.';
