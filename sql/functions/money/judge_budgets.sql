-- office_internal.judge_budgets: compares what was spent of these budgets in their present period with their limits (B1): at the alert's
-- percentage and at the limit people and the one who leads are told, each once a period; while the limit is reached, pause_agent holds
-- those in scope: all of them at the moment that it is reached, later whoever spends on, if anybody does.
-- The caller holds the gates.
--   agent_id, attempt_id   who spends; null: nobody, the budget itself has changed
create or replace function office_internal.judge_budgets(budget_ids uuid[], agent_id uuid default null, attempt_id uuid default null)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_budget office.budgets;
  v_period office.budget_periods;
  v_over boolean;
begin
  perform office_internal.open_periods(budget_ids, v_now);
  for v_budget in
    select b.* from office.budgets as b where b.id = any(budget_ids) and b.removed_at is null order by b.scope desc, b.id
  loop
    select p.* into v_period
    from office.budget_periods as p
    where p.budget_id = v_budget.id and p.period_start = office_internal.period_start(v_budget.period, v_now);
    v_over := v_period.spent_cents >= v_budget.limit_cents;
    if v_over <> v_period.over then
      update office.budget_periods as p
      set over = v_over
      where p.budget_id = v_budget.id and p.period_start = v_period.period_start;
    end if;
    if v_over and v_budget.action_on_exceed = 'pause_agent' then
      perform office_internal.hold_agents(
        v_budget.id,
        case when not v_period.over then office_internal.agents_in_scope(v_budget) else '{}' end
          || case when v_budget.scope <> 'agent' then array_remove(array[judge_budgets.agent_id], null) else array[v_budget.agent_id] end
      );
    end if;
    if v_over then
      perform office_internal.tell_budget(v_budget.id, 'exceeded', judge_budgets.agent_id, judge_budgets.attempt_id);
    elsif v_period.spent_cents * 100 >= v_budget.limit_cents * v_budget.alert_percent then
      perform office_internal.tell_budget(v_budget.id, 'alert', judge_budgets.agent_id, judge_budgets.attempt_id);
    end if;
  end loop;
end
$$;

comment on function office_internal.judge_budgets(uuid[], uuid, uuid) is 'Compares budgets with what was spent; tells, and pauses.';

-- office_internal.agents_in_scope: whom a budget is of: its agent, all of its workspace, or those that its project's open tasks are
-- assigned to.
create or replace function office_internal.agents_in_scope(budget office.budgets)
returns uuid[]
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return case (budget).scope
    when 'agent' then array[(budget).agent_id]
    when 'workspace' then array(
      select a.id from office.agents as a where a.workspace_id = (budget).workspace_id and a.deleted_at is null
    )
    else array(
      select distinct t.assignee_agent_id
      from office.tasks as t
      where t.project_id = (budget).project_id and t.assignee_agent_id is not null and t.archived_at is null and t.deleted_at is null
        and not office_internal.is_closed(t)
    )
  end;
end
$$;

comment on function office_internal.agents_in_scope(office.budgets) is 'The agents that a budget is of.';
