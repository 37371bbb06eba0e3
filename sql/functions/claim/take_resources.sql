-- office_internal.take_resources: those of these queued runs, in their order, whose keys are all free (S4), asked under the row of their
-- host (A6): until this transaction ends nobody else takes any. The keys are noted with the attempts (trigger attempts_hold).
-- The others are parked; of two that want one key the first is answered. When another claim has the host's row, all that need
-- a key are parked: each park looks again (trigger runs_wait). The caller holds the gates and launches what it gets in the
-- same transaction.
create or replace function office_internal.take_resources(run_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run record;
  v_passed uuid[] := array[]::uuid[];
  v_keys text[] := array[]::text[];
  v_owners uuid[] := array[]::uuid[];
  v_around text[] := array[]::text[];
begin
  if coalesce(cardinality(run_ids), 0) = 0 or not exists (select from office_internal.keys_of(run_ids)) then
    return run_ids;
  end if;
  perform from office_internal.shared as s where s.key = 'host:server' for no key update skip locked;
  if not found then
    v_passed := array(select distinct k.run_id from office_internal.keys_of(run_ids) as k);
    update office.runs as r
    set parked = 'resource', parked_detail = 'Another claim takes keys on its host'
    where r.id = any(v_passed) and r.status is not distinct from 'queued';
  else
    v_passed := array(select h.run_id from office_internal.resource_holders(run_ids) as h);
    perform office_internal.park_runs(v_passed);
    -- Each turn depends on those before: what they took is not to be read anywhere yet.
    for v_run in
      select n.id, array_agg(k.key) as keys, array_agg(a.key) as around
      from unnest(run_ids) with ordinality as n (id, place)
      join office_internal.keys_of(run_ids) as k on k.run_id = n.id
      cross join lateral office_internal.key_reach(k.key) as x
      cross join lateral unnest(x.above) as a (key)
      where n.id <> all(v_passed)
      group by n.id, n.place
      order by n.place
    loop
      if v_run.around && v_keys or v_run.keys && v_around then
        update office.runs as r
        set parked = 'resource', parked_detail = (
          select office_internal.resource_words(o.key, o.run_id, v_run.id, false)
          from unnest(v_keys, v_owners) as o (key, run_id)
          where o.key = any(v_run.around) or (office_internal.key_reach(o.key)).above && v_run.keys
          order by o.key like 'folder:%' desc, o.key
          limit 1
        )
        where r.id = v_run.id and r.status is not distinct from 'queued';
        v_passed := v_passed || v_run.id;
      else
        v_keys := v_keys || v_run.keys;
        v_owners := v_owners || array_fill(v_run.id, array[cardinality(v_run.keys)]);
        v_around := v_around || v_run.around;
      end if;
    end loop;
  end if;
  return array(
    select n.id from unnest(run_ids) with ordinality as n (id, place) where n.id <> all(v_passed) order by n.place
  );
end
$$;

comment on function office_internal.take_resources(uuid[]) is 'Takes the keys of runs about to launch; answers those that got theirs.';
