-- office_internal.hold_agents: a budget pauses agents (B1): their lanes close at once, and changes ask for their rows' pause (A6); their
-- live runs go on (P1). Noted by budget, so that it lets go those, and only those, that it has paused: who is paused by a person
-- or stopped is not its own. The caller holds the gate.
create or replace function office_internal.hold_agents(budget_id uuid, agent_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_budget office.budgets;
  v_reason text;
  v_held uuid[];
begin
  select b.* into v_budget from office.budgets as b where b.id = hold_agents.budget_id;
  v_held := array(
    select a.id
    from office.agents as a
    where a.id = any(agent_ids) and a.deleted_at is null and (
      a.status = 'active' or (a.status = 'paused' and a.paused_by = 'budget')
    )
    order by a.id
  );
  if cardinality(v_held) = 0 then
    return;
  end if;
  v_reason := 'T' || substr(office_internal.budget_words(v_budget), 2) || ' is spent';
  insert into office_internal.budget_pauses as p (agent_id, budget_id, workspace_id, period_start, limit_cents, since)
  select h.id, v_budget.id, v_budget.workspace_id, office_internal.period_start(v_budget.period, v_now), v_budget.limit_cents, v_now
  from unnest(v_held) as h (id)
  on conflict on constraint budget_pauses_pkey do update
  set period_start = excluded.period_start, limit_cents = excluded.limit_cents
  where (p.period_start, p.limit_cents) is distinct from (excluded.period_start, excluded.limit_cents);
  with closed as (
    update office_internal.lanes as l
    set open = false
    where l.agent_id = any(v_held) and l.open
    returning l.agent_id
  )
  insert into office.activity (workspace_id, at, kind, agent_id, detail)
  select v_budget.workspace_id, v_now, 'agent_held', c.agent_id, jsonb_build_object('status', 'paused', 'reason', v_reason)
  from closed as c;
  insert into office_internal.changes (workspace_id, kind, agent_id, from_state, to_state, reason, paused_by, account_id)
  select v_budget.workspace_id, 'pause_agent', a.id, 'active', 'paused', v_reason, 'budget', office_internal.system_account()
  from office.agents as a
  where a.id = any(v_held)
    and case
      -- The last word on its way counts.
      when exists (select from office_internal.changes as c where c.agent_id = a.id and c.kind = 'pause_agent')
        then 'active' = (
          select c.to_state from office_internal.changes as c where c.agent_id = a.id and c.kind = 'pause_agent' order by c.id desc limit 1
        )
      else a.status = 'active'
    end;
end
$$;

comment on function office_internal.hold_agents(uuid, uuid[]) is 'Pauses agents for a budget.';
