-- office_internal.session_to_link: in whose engine session the first run of an agent on a task may go on (N3, setting linked_sessions): an
-- idle one of that agent, used within 7 days, in the same project, of the same engine: program, model, account and folder. Idle: no run
-- of it, nor of those that share it, is under way or waits. Null: none. The caller holds the gate, and launches the run in the same
-- transaction.
create or replace function office_internal.session_to_link(run office.runs)
returns office.agent_sessions
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_project uuid;
  v_engine text;
  v_session office.agent_sessions;
begin
  select j.id, office_internal.engine_of(x.body, case when g.project_folders then j.folder end)
  into v_project, v_engine
  from office_internal.gates as g
  join office.tasks as t on t.id = (run).task_id and t.state <> 'cancelled'
  join office.projects as j on j.id = t.project_id
  join office.executors as x on x.id = (run).executor_id
  where g.workspace_id = (run).workspace_id and g.linked_sessions;
  if v_project is null then
    return null;
  end if;
  select s.* into v_session
  from office.agent_sessions as s
  join office.tasks as t on t.id = s.task_id and t.project_id = v_project
  where s.agent_id = (run).agent_id and md5(s.engine) = md5(v_engine) and s.engine = v_engine
    and s.engine_session is not null and s.ended_at is null and s.used_at > office_internal.wall_clock() - interval '7 days'
    and not exists (
      select
      from office.agent_sessions as m
      join office.runs as q
        on q.task_id = m.task_id and q.agent_id = m.agent_id and q.status in ('queued', 'claimed', 'running', 'waiting', 'stopping')
      where m.id = s.id or m.link_id = s.link_id
    )
  order by s.used_at desc, s.id
  limit 1;
  return v_session;
end
$$;

comment on function office_internal.session_to_link(office.runs) is 'In whose engine session an agent''s first run on a task may go on.';
