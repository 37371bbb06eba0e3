-- office_internal.why_agent: what an agent does, and why what is queued for it waits, as rows of why (I9): its last end, its live runs,
-- then its queued ones in the order of the claim, each with every reason and what lifts it.
create or replace function office_internal.why_agent(agent_id uuid)
returns table (at timestamptz, event text, detail text, lasted interval, lift text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  return query
    select l.last_wakeup_finished_at, 'last run ended', null::text, v_now - l.last_wakeup_finished_at, null::text
    from office_internal.lanes as l
    where l.agent_id = why_agent.agent_id and l.last_wakeup_finished_at is not null;
  return query
    select
      r.claimed_at, office.run_label(r.status, r.result), 'r' || r.number, v_now - r.claimed_at,
      format('select * from office.stop(''r%s'');', r.number)
    from office.runs as r
    where r.agent_id = why_agent.agent_id and r.status in ('claimed', 'running', 'waiting', 'stopping')
    order by r.claimed_at, r.number;
  return query
    select
      r.requested_at, 'waits', format('r%s: %s', r.number, coalesce(w.reason, 'nothing: it is next')), v_now - r.requested_at, w.lift
    from office.runs as r
    left join lateral office.waiting_for(r.id) with ordinality as w (reason, until, lift, nth) on true
    where r.agent_id = why_agent.agent_id and r.status = 'queued'
    order by r.requested_at, r.id, w.nth;
  return query
    select
      v_now, a.status, coalesce(a.status_reason, 'nothing runs or waits'), null::interval,
      case when a.status <> 'active' then format('select * from office.resume(%L);', s.name || '/' || a.name)
        else format('select * from office.wake(%L);', s.name || '/' || a.name) end
    from office.agents as a
    join office.workspaces as s on s.id = a.workspace_id
    where a.id = why_agent.agent_id
      and (a.status <> 'active' or not exists (
        select from office.runs as r
        where r.agent_id = a.id and r.status in ('queued', 'claimed', 'running', 'waiting', 'stopping')
      ));
end
$$;

comment on function office_internal.why_agent(uuid) is 'What an agent does and why its runs wait.';
