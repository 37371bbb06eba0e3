-- office_internal.take_gates_of_attempts: the gates of the workspaces of these attempts.
create or replace function office_internal.take_gates_of_attempts(attempt_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.take_gates(array(
    select distinct a.workspace_id from office.attempts as a where a.id = any(attempt_ids)
  ));
end
$$;

comment on function office_internal.take_gates_of_attempts(uuid[]) is 'Takes the gates of these attempts'' workspaces.';
