-- office_internal.resource_holders: for each of these queued runs that needs a key which is held, or overlaps one (S4, P7): one such
-- key, and who holds it. A few probes of an index for each key, however many are held. Folders are named before projects and
-- repositories, who is at work before who is being cleaned up.
create or replace function office_internal.resource_holders(run_ids uuid[])
returns table (run_id uuid, key text, holder_run_id uuid, ended_at timestamptz)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return query
    select distinct on (k.run_id) k.run_id, h.key, h.run_id, h.ended_at
    from office_internal.keys_of(resource_holders.run_ids) as k
    cross join lateral office_internal.key_reach(k.key) as x
    cross join lateral (
      select o.key, o.run_id, o.ended_at
      from office.resources as o
      where o.key = any(x.above)
      union all
      (
        -- In the index's order, so that the first is found in it.
        select o.key, o.run_id, o.ended_at
        from office.resources as o
        where o.key > x.inside_from and o.key < x.inside_to
        order by o.key
        limit 1
      )
      limit 1
    ) as h
    order by k.run_id, h.ended_at is not null, k.key like 'folder:%' desc, k.key;
end
$$;

comment on function office_internal.resource_holders(uuid[]) is 'Who holds what queued runs need.';
