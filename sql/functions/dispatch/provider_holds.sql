-- office_internal.provider_holds: the queued runs among these whose provider account is on hold, or has no room (Q25, S6), each with
-- until when, where that is known, and the reason in words.
create or replace function office_internal.provider_holds(run_ids uuid[], at timestamptz)
returns table (run_id uuid, until timestamptz, detail text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return;
end
$$;

comment on function office_internal.provider_holds(uuid[], timestamptz) is 'Queued runs that wait for their provider, and why.';
