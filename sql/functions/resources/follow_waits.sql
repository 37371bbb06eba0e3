-- office_internal.follow_waits: notes the keys of those of these runs that are parked for a resource, as they are now, and forgets the
-- others', so that whoever frees a key finds who waits for it. The caller holds the gates.
create or replace function office_internal.follow_waits(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  delete from office_internal.resource_waits as w
  where w.run_id = any(run_ids)
    and not exists (select from office.runs as r where r.id = w.run_id and r.parked is not distinct from 'resource');
  with needed as (
    select k.run_id, k.key, r.workspace_id
    from office_internal.keys_of(run_ids) as k
    join office.runs as r on r.id = k.run_id and r.parked is not distinct from 'resource'
  ),
  gone as (
    delete from office_internal.resource_waits as w
    where w.run_id = any(run_ids) and not exists (select from needed as n where n.run_id = w.run_id and n.key = w.key)
  )
  insert into office_internal.resource_waits as w (run_id, key, workspace_id)
  select n.run_id, n.key, n.workspace_id from needed as n
  on conflict on constraint resource_waits_pkey do nothing;
end
$$;

comment on function office_internal.follow_waits(uuid[]) is 'Notes which keys parked runs wait for.';
