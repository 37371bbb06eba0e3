-- office.send_message: a person writes into an agent session: the message is a run of its own, the last of the session's queue (N2).
-- Answers the run, and its place. Refuses unknown sessions (not_found), ended ones (session_ended), agents (forbidden), bad texts
-- (invalid). Takes the gate.
create or replace function office.send_message(session text, text text)
returns office.session_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return office_internal.write_into(send_message.session, send_message.text, false);
end
$$;

comment on function office.send_message(text, text) is 'Writes a message into an agent session, behind what waits there.';
