-- office_internal.follow_budgets: makes these workspaces' budgets count as their rows say, after any of them changed or a period began:
-- they are judged, those whom a budget has paused are let go when it is not spent any more, by a new period or a raised limit, or
-- pauses nobody now, and what people were told of it is closed (B1). Who is let go goes by a change of its row, as it was paused (A6):
-- unless another budget holds it, and only when it is a budget that holds it. The caller holds the gates.
create or replace function office_internal.follow_budgets(workspace_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  if not exists (select from office.budgets as b where b.workspace_id = any(workspace_ids)) then
    return;
  end if;
  perform office_internal.judge_budgets(array(
    select b.id from office.budgets as b where b.workspace_id = any(workspace_ids) and b.removed_at is null
  ));
  with freed as (
    delete from office_internal.budget_pauses as p
    using office.budgets as b
    left join office.budget_periods as n
      on n.budget_id = b.id and n.period_start = office_internal.period_start(b.period, v_now)
    where p.workspace_id = any(workspace_ids) and b.id = p.budget_id
      and (
        b.removed_at is not null or b.action_on_exceed <> 'pause_agent'
        or (
          (n.period_start <> p.period_start or b.limit_cents > p.limit_cents) and n.spent_cents < b.limit_cents
        )
      )
    returning p.agent_id, p.budget_id
  )
  insert into office_internal.changes (workspace_id, kind, agent_id, from_state, to_state, paused_by, account_id)
  select distinct a.workspace_id, 'pause_agent', a.id, 'paused', 'active', 'budget', office_internal.system_account()
  from freed as f
  join office.agents as a on a.id = f.agent_id
  where not exists (
      select
      from office_internal.budget_pauses as o
      where o.agent_id = f.agent_id
        and not exists (select from freed as g where g.agent_id = o.agent_id and g.budget_id = o.budget_id)
    )
    and (
      (a.status = 'paused' and a.paused_by = 'budget')
      or exists (
        select from office_internal.changes as c where c.agent_id = a.id and c.kind = 'pause_agent' and c.paused_by = 'budget'
      )
    );
  update office.inbox_items as i
  set closed_at = v_now
  from office.budgets as b
  join office.budget_periods as p on p.budget_id = b.id
  cross join lateral (values ('alert', b.alert_percent), ('exceeded', 100)) as k (what, percent)
  where b.workspace_id = any(workspace_ids) and i.workspace_id = b.workspace_id and i.closed_at is null
    and i.dedup_key = format('budget.%s:%s:%s', k.what, b.id, p.period_start)
    and (
      b.removed_at is not null or p.period_start <> office_internal.period_start(b.period, v_now)
      or (
        p.spent_cents * 100 < b.limit_cents * k.percent
        and not exists (select from office_internal.budget_pauses as h where h.budget_id = b.id)
      )
    );
  -- Whoever waited for the room of a budget that is gone.
  update office.runs as r
  set parked = null, due_at = null
  from office.budgets as b
  where b.workspace_id = any(workspace_ids) and b.removed_at is not null and r.workspace_id = b.workspace_id
    and r.parked_budget_id = b.id and r.status = 'queued' and r.parked = 'budget';
end
$$;

comment on function office_internal.follow_budgets(uuid[]) is 'Brings budgets and those whom they pause up to date.';
