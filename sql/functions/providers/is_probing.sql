-- office_internal.is_probing: whether a hold's probe is under way. One that has ended, was given back or waits for a person is not (Q25).
create or replace function office_internal.is_probing(probe_run_id uuid)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return exists (
    select from office.runs as r where r.id = is_probing.probe_run_id and r.status in ('claimed', 'running', 'stopping')
  );
end
$$;

comment on function office_internal.is_probing(uuid) is 'Whether a hold''s probe is under way.';
