-- office_internal.write_into: a person writes into an agent session: a wake of its agent with source message, and its run (N2). Refuses
-- unknown sessions (not_found), ended ones (session_ended), agents (forbidden), bad texts (invalid). Takes the gate, and dispatches.
create or replace function office_internal.write_into(session text, text text, steer boolean)
returns office.session_reference
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_session office.agent_sessions;
  v_wakeup uuid;
begin
  perform office_internal.need_person();
  if btrim(coalesce(write_into.text, '')) = '' or length(write_into.text) > 16000 then
    perform office_internal.refuse(
      'invalid', 'A message is a text of 1 to 16000 characters.', 'Say what the agent is to do.', jsonb_build_object('field', 'text')
    );
  end if;
  select * into v_session from office.agent_sessions as s where s.id = office_internal.find_session(session);
  perform office_internal.take_gates(array[v_session.workspace_id]);
  select s.wakeup_id into v_wakeup
  from office_internal.store_requests(array[office_internal.read_request(
    v_session.agent_id::text, 'message',
    jsonb_build_object('session_id', v_session.id, 'text', write_into.text) || case when steer then '{"steer": true}'::jsonb else '{}' end,
    null, v_session.workspace_id::text
  )]) as s;
  perform office_internal.dispatch_gates(array[v_session.workspace_id], '0');
  -- The claim looks only where a signal says so.
  insert into office_internal.signals (workspace_id, kind) values (v_session.workspace_id, 'look');
  return (
    select (v_session.id, 's' || v_session.number, r.id, 'r' || r.number, r.queue_position)::office.session_reference
    from office.wakeups as w
    left join office.runs as r on r.id = w.run_id
    where w.id = v_wakeup
  );
end
$$;

comment on function office_internal.write_into(text, text, boolean) is 'Writes a message into an agent session.';
