-- office.start_attempt: a worker says that an attempt's program runs (Q16). Its assignee's task goes from todo to in_progress, by
-- change signal, and wakes nobody (T5). Answers the run's status: 'stopping' tells the launcher to stop at once.
-- Starting again is a no-op. Refuses an attempt that is not its run's live one (attempt_superseded), an unknown one.
-- Takes the gate.
create or replace function office.start_attempt(attempt_id uuid, pid integer default null, engine_session text default null)
returns table (run_id uuid, status text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_run office.runs;
  v_now timestamptz;
begin
  v_run := office_internal.take_attempt(start_attempt.attempt_id);
  v_now := office_internal.wall_clock();
  update office.attempts as a
  set started_at = coalesce(a.started_at, v_now),
    left_at = null,
    pid = coalesce(start_attempt.pid, a.pid),
    engine_session = coalesce(start_attempt.engine_session, a.engine_session)
  where a.id = start_attempt.attempt_id and a.ended_at is null;
  if v_run.status = 'claimed' then
    update office.runs as r set status = 'running' where r.id = v_run.id and r.status is not distinct from 'claimed';
    v_run.status := 'running';
    insert into office_internal.changes (workspace_id, kind, task_id, from_state, to_state, attempt_id, agent_id)
    select v_run.workspace_id, 'move_task', t.id, 'todo', 'in_progress', start_attempt.attempt_id, v_run.agent_id
    from office.tasks as t
    where t.id = v_run.task_id and t.state = 'todo' and t.assignee_agent_id = v_run.agent_id;
  end if;
  return query select v_run.id, v_run.status;
end
$$;

comment on function office.start_attempt(uuid, integer, text) is 'Says that an attempt''s program runs.';
