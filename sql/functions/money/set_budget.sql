-- office.set_budget: how much a workspace (workspace:acme, or workspace for the only one), a project (project:acme/site) or an agent
-- (agent:acme/builder, or its bare name) may spend a period, and what happens then (B1). One that is set already is changed: what is
-- not given stays as it is; a limit of null removes it. A raised limit lets go whom it has paused; what was spent in the period
-- counts, before it was set too. Answers what holds now: limit null when it was removed.
-- Refuses unknown references and a removal of what is not there (not_found), values that cannot be (invalid), agents (forbidden).
-- Takes no gate: the dispatch follows by signal.
create or replace function office.set_budget(
  ref text,
  limit_cents numeric,
  period text default 'month',
  action_on_exceed text default null,
  alert_percent integer default null,
  stop_running boolean default null,
  run_estimate_cents numeric default null,
  account text default 'included'
)
returns table (budget_id uuid, budget text, budget_period text, most_cents numeric, action text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_caller uuid := office_internal.need_person();
  v_scope text := case when ref like 'workspace%' then 'workspace' when ref like 'project:%' then 'project' else 'agent' end;
  v_name text := regexp_replace(coalesce(ref, ''), '^(workspace|project|agent):', '');
  v_workspace uuid;
  v_subject uuid;
  v_budget office.budgets;
  v_constraint text;
  v_column text;
begin
  case v_scope
    when 'workspace' then
      v_workspace := office_internal.find_workspace(nullif(v_name, 'workspace'));
    when 'project' then
      v_workspace := office_internal.find_workspace(case when v_name like '%/%' then split_part(v_name, '/', 1) end);
      v_subject := office_internal.find_project(regexp_replace(v_name, '^[^/]*/', ''), v_workspace);
    else
      v_subject := office_internal.find_agent(v_name);
      select a.workspace_id into v_workspace from office.agents as a where a.id = v_subject;
  end case;
  select b.* into v_budget
  from office.budgets as b
  where b.workspace_id = v_workspace and b.removed_at is null and b.scope = v_scope
    and coalesce(b.project_id, b.agent_id) is not distinct from v_subject
    and b.account = set_budget.account and b.period = set_budget.period;
  if set_budget.limit_cents is null then
    update office.budgets as b
    set removed_at = office.now(), set_by = v_caller
    where b.id = v_budget.id and b.removed_at is null
    returning b.* into v_budget;
    if not found then
      perform office_internal.refuse(
        'not_found', format('There is no such budget of %s.', ref), 'officectl budget list shows them.',
        jsonb_build_object('noun', 'budget', 'given', ref)
      );
    end if;
    v_budget.limit_cents := null;
  elsif v_budget.id is not null then
    update office.budgets as b
    set limit_cents = set_budget.limit_cents,
      action_on_exceed = coalesce(set_budget.action_on_exceed, b.action_on_exceed),
      alert_percent = coalesce(set_budget.alert_percent, b.alert_percent),
      stop_running = coalesce(set_budget.stop_running, b.stop_running),
      run_estimate_cents = coalesce(set_budget.run_estimate_cents, b.run_estimate_cents),
      set_by = v_caller, set_at = office.now()
    where b.id = v_budget.id
    returning b.* into v_budget;
  else
    insert into office.budgets as b (
      workspace_id, scope, project_id, agent_id, account, period, limit_cents, action_on_exceed, alert_percent, stop_running,
      run_estimate_cents, set_by
    )
    values (
      v_workspace, v_scope, case v_scope when 'project' then v_subject end, case v_scope when 'agent' then v_subject end,
      set_budget.account, set_budget.period, set_budget.limit_cents, coalesce(set_budget.action_on_exceed, 'pause_agent'),
      coalesce(set_budget.alert_percent, 80), coalesce(set_budget.stop_running, false),
      coalesce(set_budget.run_estimate_cents, set_budget.limit_cents / 100), v_caller
    )
    returning b.* into v_budget;
  end if;
  return query
    select v_budget.id, office_internal.budget_name(v_budget), v_budget.period, v_budget.limit_cents::numeric, v_budget.action_on_exceed;
exception
  when check_violation then
    get stacked diagnostics v_constraint = constraint_name;
    perform office_internal.refuse_value('budgets', v_constraint);
  when not_null_violation then
    get stacked diagnostics v_column = column_name;
    perform office_internal.refuse_value('budgets', '', v_column);
  when numeric_value_out_of_range then
    perform office_internal.refuse_value('budgets', 'budgets_limit_cents_check');
  when unique_violation then
    perform office_internal.refuse(
      'conflict', 'Somebody else has set this budget at this moment.', 'Look at it, and set it again.', jsonb_build_object('budget', ref)
    );
end
$$;

comment on function office.set_budget(text, numeric, text, text, integer, boolean, numeric, text)
is 'Sets how much workspace:NAME, project:WORKSPACE/NAME or an agent may spend a period, in cents; null removes it.';
