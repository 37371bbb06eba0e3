-- office_internal.session_of_run: what a permission for a session is bound to (D8): the run's agent session, for a taskless run the run.
create or replace function office_internal.session_of_run(run_id uuid)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (select coalesce(r.session_id, r.id) from office.runs as r where r.id = session_of_run.run_id);
end
$$;

comment on function office_internal.session_of_run(uuid) is 'What a permission for a session is bound to.';
