-- office_internal.task_of_message: the task of the agent session that a message is written into (N2). Refuses a session that is not of the
-- agent that is woken, or not there (not_found), and one that has ended (session_ended).
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
  where s.id = ((wakeup).payload ->> 'session_id')::uuid and s.agent_id = (wakeup).agent_id;
  if v_session.id is null then
    perform office_internal.refuse(
      'not_found', 'That agent has no such session.', 'select * from office.sessions; shows them.',
      jsonb_build_object('noun', 'session', 'given', (wakeup).payload ->> 'session_id')
    );
  end if;
  perform office_internal.need_open_session(v_session);
  return v_session.task_id;
end
$$;

comment on function office_internal.task_of_message(office.wakeups) is 'The task of the session that a message is written into.';
