-- office_internal.task_of_message: the task of the agent session that a message is written into (N2).
-- Refuses what is no session of that agent (not_found), and one that has ended (session_ended).
create or replace function office_internal.task_of_message(wakeup office.wakeups)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_session office.agent_sessions;
begin
  select * into v_session
  from office.agent_sessions as s
  where s.id = ((wakeup).payload ->> 'session_id')::uuid;
  if v_session.agent_id is distinct from (wakeup).agent_id then
    perform office_internal.refuse(
      'not_found', 'That agent has no such session.',
      'select * from office.sessions; shows them. One begins with an agent''s first run on a task.',
      jsonb_build_object('noun', 'session', 'given', (wakeup).payload ->> 'session_id')
    );
  end if;
  perform office_internal.need_open_session(v_session);
  return v_session.task_id;
end
$$;

comment on function office_internal.task_of_message(office.wakeups) is 'The task of the session that a message is written into.';
