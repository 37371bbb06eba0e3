-- office_internal.admit_to_providers: those of these queued runs, in their order, that their provider accounts admit now: no hold,
-- or as its one probe, and within the account's limit of requests at once (Q25, S6). Decided one by one, under the accounts'
-- shared rows, taken in ascending order and never waited for (A6): whom another claim is deciding on waits for the next look.
-- The others are parked, and with them all that could be claimed there and would be refused for the same reason. Whoever frees a
-- place meanwhile does not see them yet: a signal looks once more. The caller holds the gates and launches what it gets in the
-- same transaction.
create or replace function office_internal.admit_to_providers(run_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_providers text[];
  v_locked text[];
  v_run record;
  v_until timestamptz;
  v_detail text;
  v_model text;
  v_holds uuid[];
  v_probed uuid[] := array[]::uuid[];
  v_admitted uuid[] := array[]::uuid[];
  v_going text[] := array[]::text[];
begin
  if coalesce(cardinality(run_ids), 0) = 0 or not exists (
    select from office.provider_holds as h where h.ended_at is null
    union all
    select from office.provider_limits
  ) then
    return run_ids;
  end if;
  v_providers := array(
    select distinct x.provider
    from office.runs as r
    join office.executors as x on x.id = r.executor_id
    where r.id = any(run_ids) and (
      exists (select from office.provider_holds as h where h.ended_at is null and h.provider = x.provider)
      or exists (select from office.provider_limits as l where l.provider = x.provider)
    )
  );
  if cardinality(v_providers) = 0 then
    return run_ids;
  end if;
  with locked as materialized (
    select s.key
    from office_internal.shared as s
    where s.key = any(array(select 'provider:' || p.name from unnest(v_providers) as p (name)))
    order by s.key
    for no key update skip locked
  )
  select coalesce(array_agg(substr(locked.key, 10)), '{}') into v_locked from locked;
  -- Each turn depends on those before: who is admitted takes a place, or is the probe.
  for v_run in
    select
      r.id, r.workspace_id, r.executor_id, x.provider, x.model,
      row_number() over (partition by coalesce(r.task_id, r.id) order by r.requested_at, r.id) > 1 as behind_its_task
    from unnest(run_ids) with ordinality as n (id, place)
    join office.runs as r on r.id = n.id
    left join office.executors as x on x.id = r.executor_id
    order by n.place
  loop
    if v_run.provider is null or not v_run.provider = any(v_providers) then
      v_admitted := v_admitted || v_run.id;
      continue;
    end if;
    -- Of two runs of one task only the first launches; the other is looked at again.
    continue when v_run.behind_its_task;
    if not v_run.provider = any(v_locked) then
      update office.runs as r
      set parked = 'provider', parked_detail = format('Provider %s is being decided on by another claim', v_run.provider)
      where r.id = v_run.id and r.status is not distinct from 'queued';
      insert into office_internal.signals (workspace_id, kind) values (v_run.workspace_id, 'look');
      continue;
    end if;
    -- An earlier turn has parked it with the others.
    continue when exists (select from office.runs as r where r.id = v_run.id and r.parked is not null);
    select f.until, f.detail, f.model
    into v_until, v_detail, v_model
    from office_internal.provider_refusals(array[v_run.executor_id], v_now) as f;
    v_holds := array(
      select h.id
      from office.provider_holds as h
      where h.ended_at is null and h.provider = v_run.provider and (h.model is null or h.model = v_run.model)
    );
    -- What earlier turns took is not running yet.
    if v_detail is null then
      select v.detail, v.model
      into v_detail, v_model
      from (
        select
          format('Provider %s%s is on hold: one run tries whether its limit has reset', h.provider, ', model ' || h.model) as detail,
          h.model
        from office.provider_holds as h
        where h.id = any(v_holds) and h.id = any(v_probed)
        union all
        select format('Provider %s has %s of %2$s requests going', l.provider, l.max_requests), null
        from office.provider_limits as l
        where l.provider = v_run.provider and l.max_requests <=
          office_internal.count_requests(l.provider) + cardinality(array_positions(v_going, l.provider))
      ) as v
      limit 1;
    end if;
    if v_detail is null then
      update office.provider_holds as h set probe_run_id = v_run.id where h.id = any(v_holds);
      v_probed := v_probed || v_holds;
      v_going := v_going || v_run.provider::text;
      v_admitted := v_admitted || v_run.id;
      continue;
    end if;
    update office.runs as r
    set parked = 'provider', due_at = v_until, parked_detail = v_detail
    from office.executors as x, office.agents as a
    where x.id = r.executor_id and x.provider = v_run.provider and (v_model is null or x.model = v_model)
      and a.workspace_id = v_run.workspace_id and r.agent_id = a.id and r.status = 'queued' and r.parked is null
      and r.answered_at is null and not r.id = any(v_admitted);
    insert into office_internal.signals (workspace_id, kind) values (v_run.workspace_id, 'look');
  end loop;
  return v_admitted;
end
$$;

comment on function office_internal.admit_to_providers(uuid[]) is 'The runs about to launch that their provider accounts admit.';
