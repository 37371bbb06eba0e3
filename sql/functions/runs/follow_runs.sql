-- office_internal.follow_runs: makes the lanes of these agents say what their runs say: how many are active, which is the first
-- that can be claimed. Those whose attempt is over cool down from now on (Q12). The caller holds the gates.
create or replace function office_internal.follow_runs(agent_ids uuid[], over_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_over uuid[];
  v_now timestamptz := office_internal.wall_clock();
begin
  if cardinality(agent_ids) = 0 then
    return;
  end if;
  if cardinality(over_run_ids) > 0 then
    v_over := array(select distinct r.agent_id from office.runs as r where r.id = any(over_run_ids));
  end if;
  update office_internal.lanes as l
  set active = n.active,
    excess = case when l.excess > 0 then least(l.excess, greatest(n.active - l.capacity, 0)) else 0 end,
    head_at = n.requested_at,
    head_run_id = n.id,
    last_wakeup_finished_at = case when l.agent_id = any(v_over) then v_now else l.last_wakeup_finished_at end,
    cooling_until = case
      when l.agent_id = any(v_over) then case when l.cooldown_sec > 0 then v_now + make_interval(secs => l.cooldown_sec) end
      else l.cooling_until
    end
  from unnest(agent_ids) as a (id)
  join office_internal.lanes as w on w.agent_id = a.id
  cross join lateral (
    select count(*)::integer as active
    from office.runs as r
    where r.workspace_id = w.workspace_id and r.agent_id = w.agent_id
      and (r.status in ('claimed', 'running', 'waiting', 'stopping') or (r.status = 'queued' and r.answered_at is not null))
  ) as c
  left join lateral (
    select r.requested_at, r.id
    from office.runs as r
    where r.agent_id = w.agent_id and r.status = 'queued' and r.parked is null and r.answered_at is null
    order by r.requested_at, r.id
    limit 1
  ) as h on true
  cross join lateral (select c.active, h.requested_at, h.id) as n
  where l.agent_id = a.id
    and (
      (l.active, l.head_at, l.head_run_id) is distinct from (n.active, n.requested_at, n.id)
      or l.excess > 0 or l.agent_id = any(v_over)
    );
end
$$;

comment on function office_internal.follow_runs(uuid[], uuid[]) is 'Brings lanes up to date with their agents'' runs.';
