-- office_internal.agent_of_attempt: the agent from inside whose run something was done.
create or replace function office_internal.agent_of_attempt(attempt_id uuid)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select r.agent_id
    from office.attempts as a
    join office.runs as r on r.id = a.run_id
    where a.id = agent_of_attempt.attempt_id
  );
end
$$;

comment on function office_internal.agent_of_attempt(uuid) is 'Agent of an attempt.';
