-- office.steer: a person writes into an agent session what is to be done next: a run of its own, the first of the session's queue. It does
-- not stop the running one (N2).
-- Answers the run, and its place. Refuses unknown sessions (not_found), ended ones (session_ended), agents (forbidden), bad texts
-- (invalid). Takes the gate.
create or replace function office.steer(session text, text text)
returns office.session_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return office_internal.write_into(steer.session, steer.text, true);
end
$$;

comment on function office.steer(text, text) is 'Writes into an agent session what it is to do next.';
