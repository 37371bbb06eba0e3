-- office_internal.tell_budget: tells that a budget's alert or limit is reached (exceeded: nothing more is launched): activity, an inbox
-- item, and a budget_alert wake for the one who leads (B1). Once a budget, period and kind: the period's row remembers, whatever
-- comes again; an alert that the limit has overtaken is passed over. The caller holds the gate.
create or replace function office_internal.tell_budget(budget_id uuid, what text, agent_id uuid, attempt_id uuid)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_budget office.budgets;
  v_period office.budget_periods;
  v_percent numeric;
  v_leader uuid;
  v_depth integer;
  v_title text;
begin
  select b.* into v_budget from office.budgets as b where b.id = tell_budget.budget_id;
  update office.budget_periods as p
  set alerted_at = coalesce(p.alerted_at, v_now), exceeded_at = case when what = 'exceeded' then v_now else p.exceeded_at end
  where p.budget_id = v_budget.id and p.period_start = office_internal.period_start(v_budget.period, v_now)
    and case what when 'exceeded' then p.exceeded_at is null else p.alerted_at is null end
  returning p.* into v_period;
  if not found then
    return;
  end if;
  v_percent := case when v_budget.limit_cents > 0 then trunc(100 * v_period.spent_cents / v_budget.limit_cents) else 100 end;
  v_title := format(
    '%s of %s cents of %s are spent%s', office_internal.cents_text(v_period.spent_cents),
    office_internal.cents_text(v_budget.limit_cents), office_internal.budget_words(v_budget),
    case when what = 'exceeded' and v_period.spent_cents < v_budget.limit_cents then ', and another run would pass it' end
  );
  perform office_internal.remember(
    v_budget.workspace_id, 'budget_' || what,
    jsonb_build_object(
      'budget', office_internal.budget_name(v_budget), 'policy_id', v_budget.id, 'period', v_period.period_start,
      'spent_cents', v_period.spent_cents, 'limit_cents', v_budget.limit_cents
    ),
    null, tell_budget.agent_id, null, null, tell_budget.attempt_id
  );
  insert into office.inbox_items (workspace_id, kind, title, body, agent_id, dedup_key)
  values (
    v_budget.workspace_id, 'budget.' || what, v_title,
    format(
      '%s To give more: %s',
      case
        when what = 'alert' then format('People are told at %s %%.', v_budget.alert_percent)
        when v_budget.action_on_exceed = 'pause_agent' then format('Its agents are paused%s.', case
          when v_budget.period <> 'total' then ' until the next ' || v_budget.period end)
        when v_budget.action_on_exceed = 'block_new_tasks' then 'New runs end budget_blocked.'
        else 'Nothing is held back: its action is notify.'
      end,
      office_internal.budget_lift(v_budget)
    ),
    coalesce(v_budget.agent_id, tell_budget.agent_id), format('budget.%s:%s:%s', what, v_budget.id, v_period.period_start)
  )
  on conflict do nothing;
  select a.id into v_leader
  from office.agents as a
  where a.workspace_id = v_budget.workspace_id and a.status <> 'stopped' and a.deleted_at is null
    and (
      a.role in ('ceo', 'coordinator')
      or a.id = (select g.reports_to from office.agents as g where g.id = v_budget.agent_id)
    )
  order by a.role not in ('ceo', 'coordinator') desc, (a.role = 'ceo') desc, a.created_at, a.id
  limit 1;
  if v_leader is null then
    return;
  end if;
  select r.depth + 1 into v_depth
  from office.attempts as t
  join office.runs as r on r.id = t.run_id
  where t.id = tell_budget.attempt_id;
  with made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, payload, idempotency_key, depth, attempt_id, requested_at
    )
    values (
      v_budget.workspace_id, v_leader, 'budget_alert', 'event', 'nobody',
      jsonb_build_object(
        'agent_instance_id', coalesce(tell_budget.agent_id, v_budget.agent_id, v_leader), 'budget_pct', v_percent,
        'policy_id', v_budget.id, 'scope', office_internal.budget_name(v_budget)
      ),
      format('budget_alert:%s:%s:%s', v_budget.id, v_period.period_start, what), coalesce(v_depth, 0), tell_budget.attempt_id, v_now
    )
    on conflict do nothing
    returning id
  )
  insert into office_internal.signals (workspace_id, kind, wakeup_id, depth)
  select v_budget.workspace_id, 'wakeup', made.id, coalesce(v_depth, 0) from made;
end
$$;

comment on function office_internal.tell_budget(uuid, text, uuid, uuid)
is 'Tells, once a period, that a budget''s alert or limit is reached.';
