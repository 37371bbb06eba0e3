-- office_internal.follow_providers: what it means for their provider accounts that runs make requests no more - they ended, were queued
-- again, or wait for a person - or once more, after an answer (Q25, S6). A probe that succeeded, or that was served so well that it asks a
-- person, ends its hold; any other end frees the probe's place. Who waits there is told after the commit (tell_waiting): before
-- it a claim under way would not see what it did. What runs above a limit is counted anew under the account's shared row (A6); while
-- a claim decides there, unseen, nothing is waited for: who goes on is allowed on top, and the next end that finds the row free counts.
-- The caller holds the gates.
--   quiet_run_ids   runs that make no more requests      going_on_run_ids   runs that make some again, whom no claim admitted
create or replace function office_internal.follow_providers(quiet_run_ids uuid[], going_on_run_ids uuid[] default '{}')
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_counted text[];
begin
  if not exists (
    select from office.provider_holds as h where h.ended_at is null
    union all
    select from office.provider_limits
  ) then
    return;
  end if;
  update office.provider_holds as h
  set probe_run_id = case when n.served then h.probe_run_id end,
    ended_at = case when n.served then n.now end,
    ended_by = case when n.served then 'probe' end
  from (
    select
      o.id, v.now,
      -- A limit that another run has hit meanwhile is not what this one tried.
      (r.outcome is not distinct from 'succeeded' or r.status = 'waiting') and o.until <= v.now as served
    from (select office_internal.wall_clock() as now) as v
    cross join office.provider_holds as o
    join office.runs as r on r.id = o.probe_run_id
    where o.ended_at is null and o.probe_run_id = any(quiet_run_ids)
  ) as n
  where h.id = n.id and h.ended_at is null;
  -- In one order, in a statement of its own: others count the same accounts under other gates.
  perform
  from office.provider_limits as l
  where l.provider in (
    select x.provider
    from office.runs as r
    join office.executors as x on x.id = r.executor_id
    where r.id = any(quiet_run_ids || going_on_run_ids)
  )
  order by l.provider
  for no key update;
  with locked as materialized (
    select s.key
    from office_internal.shared as s
    where s.key = any(array(
      select 'provider:' || l.provider
      from office.runs as r
      join office.executors as x on x.id = r.executor_id
      join office.provider_limits as l on l.provider = x.provider
      where r.id = any(quiet_run_ids || going_on_run_ids) and (l.excess > 0 or r.id = any(going_on_run_ids))
    ))
    order by s.key
    for no key update skip locked
  )
  select coalesce(array_agg(substr(locked.key, 10)), '{}') into v_counted from locked;
  update office.provider_limits as l
  set excess = case when l.provider = any(v_counted) then greatest(c.requests - l.max_requests, 0) else l.excess + p.going_on end
  from (
    select x.provider, count(*) filter (where r.id = any(going_on_run_ids)) as going_on
    from office.runs as r
    join office.executors as x on x.id = r.executor_id
    where r.id = any(quiet_run_ids || going_on_run_ids)
    group by x.provider
  ) as p
  cross join lateral (select office_internal.count_requests(p.provider) as requests) as c
  where l.provider = p.provider
    and case
      when not l.provider = any(v_counted) then p.going_on > 0
      when p.going_on > 0 then c.requests > l.max_requests + l.excess
      else l.excess > 0
    end;
  insert into office_internal.signals (workspace_id, kind, key)
  select distinct r.workspace_id, 'freed', 'provider:' || x.provider
  from office.runs as r
  join office.executors as x on x.id = r.executor_id
  join office.provider_limits as l on l.provider = x.provider
  where r.id = any(quiet_run_ids);
end
$$;

comment on function office_internal.follow_providers(uuid[], uuid[]) is 'What ends of requests mean for their provider accounts.';
