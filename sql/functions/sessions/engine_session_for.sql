-- office_internal.engine_session_for: which engine session a run resumes when it is launched anew: a task's run that of its agent session,
-- if its engine kept that (N1); one that a pause had stopped, its own (P1); else none, and a taskless run never another's.
create or replace function office_internal.engine_session_for(run office.runs, session office.agent_sessions)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if (session).engine_session is null and (run).attempt_id is null then
    return null;
  end if;
  if (session).engine_session is not null then
    return (
      select (session).engine_session
      from office.executors as x
      cross join office_internal.gates as g
      left join office.tasks as t on t.id = (run).task_id
      left join office.projects as j on j.id = t.project_id
      where x.id = (run).executor_id and g.workspace_id = (run).workspace_id
        and office_internal.engine_of(x.body, case when g.project_folders or j.isolation = 'worktree' then j.work_folder end)
          = (session).engine
    );
  end if;
  return (
    select a.engine_session from office.attempts as a where a.id = (run).attempt_id and a.outcome = 'stopped' and (run).task_id is null
  );
end
$$;

comment on function office_internal.engine_session_for(office.runs, office.agent_sessions) is 'Which engine session a run resumes.';
