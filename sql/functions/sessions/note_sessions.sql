-- office_internal.note_sessions: attempts of agent sessions have started: their run is the session's last that really ran, and the engine's
-- session id, where it is told, is the session's from now on: a fresh one replaces what was lost (N1). The caller holds the gates.
create or replace function office_internal.note_sessions(attempt_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.agent_sessions as s
  set last_run_id = r.id,
    used_at = case when s.last_run_id is distinct from r.id then office_internal.wall_clock() else s.used_at end,
    engine_session = a.engine_session,
    engine = case
      when a.engine_session is not null
        then office_internal.engine_of(x.body, case when g.project_folders or j.isolation = 'worktree' then j.work_folder end)
    end
  from office.attempts as a
  join office.runs as r on r.id = a.run_id and r.attempt_id = a.id
  join office_internal.gates as g on g.workspace_id = r.workspace_id
  join office.executors as x on x.id = r.executor_id
  left join office.tasks as t on t.id = r.task_id
  left join office.projects as j on j.id = t.project_id
  where a.id = any(attempt_ids) and a.ended_at is null and s.id = r.session_id and s.ended_at is null
    and (s.last_run_id is distinct from r.id or a.engine_session is distinct from s.engine_session);
end
$$;

comment on function office_internal.note_sessions(uuid[]) is 'Notes in agent sessions what has started.';
