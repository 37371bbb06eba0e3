-- office_internal.need_open_session: refuses an agent session that has ended (session_ended), saying why.
create or replace function office_internal.need_open_session(session office.agent_sessions)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if (session).ended_at is not null then
    perform office_internal.refuse(
      'session_ended', format('s%s has ended: %s.', (session).number, replace((session).end_reason, '_', ' ')),
      'A run of that agent on that task begins a new one.', jsonb_build_object('session', 's' || (session).number)
    );
  end if;
end
$$;

comment on function office_internal.need_open_session(office.agent_sessions) is 'Refuses an agent session that has ended.';
