-- office_internal.stop_over: asks the run of an attempt that has just used something to stop, where one of these budgets is spent and says
-- so (stop_running, B2): back to the queue behind its paused agent where the budget pauses (P1), else for good. The caller holds the
-- gate.
create or replace function office_internal.stop_over(attempt_id uuid, budget_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_budget office.budgets;
  v_run office.runs;
begin
  select b.* into v_budget
  from office.budgets as b
  join office.budget_periods as p on p.budget_id = b.id and p.period_start = office_internal.period_start(b.period, v_now) and p.over
  where b.id = any(budget_ids) and b.removed_at is null and b.stop_running
  order by (b.action_on_exceed = 'pause_agent'), b.id
  limit 1;
  if v_budget.id is null then
    return;
  end if;
  select r.* into v_run
  from office.attempts as a
  join office.runs as r on r.id = a.run_id and r.attempt_id = a.id
  where a.id = stop_over.attempt_id and a.ended_at is null
    -- A run that waits for a person waits on through a pause (P1).
    and (r.status in ('claimed', 'running') or (r.status = 'waiting' and v_budget.action_on_exceed <> 'pause_agent')) is true;
  if v_run.id is null then
    return;
  end if;
  perform office_internal.stop_live(
    array[v_run.id], case v_budget.action_on_exceed when 'pause_agent' then 'paused' else 'stopped' end
  );
  perform office_internal.remember(
    v_run.workspace_id, 'run_stopped',
    jsonb_build_object('reason', office_internal.budget_words(v_budget) || ' is spent', 'policy_id', v_budget.id),
    null, v_run.agent_id, v_run.task_id, v_run.id, v_run.attempt_id
  );
end
$$;

comment on function office_internal.stop_over(uuid, uuid[]) is 'Stops a run whose budget is spent and says so.';
