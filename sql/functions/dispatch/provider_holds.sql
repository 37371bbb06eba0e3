-- office_internal.provider_holds: the queued runs among these that the claim has parked for their provider account, each with until
-- when, where that is known, and the reason in words (Q25, S6). Only the claim parks for a provider, under the account's shared
-- row, and only the claim calls such a run back (unpark_for_providers): what else looks at it leaves it where it is.
create or replace function office_internal.provider_holds(run_ids uuid[], at timestamptz)
returns table (run_id uuid, until timestamptz, detail text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select r.id, f.until, coalesce(f.detail, r.parked_detail)
    from office.runs as r
    left join lateral office_internal.provider_refusals(array[r.executor_id], provider_holds.at) as f on true
    where r.id = any(run_ids) and r.status is not distinct from 'queued' and r.parked is not distinct from 'provider';
end
$$;

comment on function office_internal.provider_holds(uuid[], timestamptz) is 'Queued runs that wait for their provider, and why.';
