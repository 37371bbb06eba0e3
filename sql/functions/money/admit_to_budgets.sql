-- office_internal.admit_to_budgets: those of these queued runs, in their order, that their budgets admit now (Q13.6): workspace, then
-- project, then agent, each with what is spent, what live attempts have reserved, and what this run is expected to cost (B2). Where what
-- is spent leaves no room, the budget's action is taken: pause_agent pauses the agent, and the run stays queued behind it;
-- block_new_tasks ends it budget_blocked; notify lets it go. Where only reservations are in its way it is parked until some are
-- settled. A check that cannot be made admits nobody whose workspace has a budget: they are parked, and tried again in a minute.
-- Without any budget this is one look at an index. The caller holds the gates and launches what it gets in the same transaction.
create or replace function office_internal.admit_to_budgets(run_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_concerned uuid[];
begin
  if coalesce(cardinality(run_ids), 0) = 0 or not exists (select from office.budgets as b where b.removed_at is null) then
    return run_ids;
  end if;
  v_concerned := array(
    select n.id
    from unnest(run_ids) with ordinality as n (id, place)
    join office.runs as r on r.id = n.id
    where exists (select from office.budgets as b where b.workspace_id = r.workspace_id and b.removed_at is null)
    order by n.place
  );
  if cardinality(v_concerned) = 0 then
    return run_ids;
  end if;
  begin
    v_concerned := office_internal.check_budgets(v_concerned);
    return array(
      select n.id
      from unnest(run_ids) with ordinality as n (id, place)
      where n.id = any(v_concerned) or not exists (
        select
        from office.runs as r
        join office.budgets as b on b.workspace_id = r.workspace_id and b.removed_at is null
        where r.id = n.id
      )
      order by n.place
    );
  exception
    when serialization_failure or deadlock_detected or lock_not_available or read_only_sql_transaction then
      raise;
    when others then
      update office.runs as r
      set parked = 'budget', due_at = office_internal.wall_clock() + interval '1 minute', parked_budget_id = null,
        parked_detail = 'Its budgets could not be checked: ' || left(office_internal.one_line(sqlerrm), 300)
      where r.id = any(v_concerned) and r.status is not distinct from 'queued';
      return array(
        select n.id from unnest(run_ids) with ordinality as n (id, place) where n.id <> all(v_concerned) order by n.place
      );
  end;
end
$$;

comment on function office_internal.admit_to_budgets(uuid[]) is 'The runs about to launch that their budgets admit.';

-- office_internal.check_budgets: the same of runs whose workspaces have budgets, without a net: it raises what it cannot decide.
create or replace function office_internal.check_budgets(run_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_run record;
  v_said record;
  v_budget office.budgets;
  v_admitted uuid[] := array[]::uuid[];
  v_budgets uuid[] := array[]::uuid[];
  v_amounts numeric[] := array[]::numeric[];
begin
  perform office_internal.open_periods(array(
    select b.id
    from office.budgets as b
    where b.removed_at is null and b.workspace_id in (select r.workspace_id from office.runs as r where r.id = any(run_ids))
  ), v_now);
  -- Each turn depends on those before: what they reserve is not written yet, and whom they pause does not go.
  for v_run in
    select r.id, r.number, r.workspace_id, r.agent_id, r.task_id
    from unnest(run_ids) with ordinality as n (id, place)
    join office.runs as r on r.id = n.id
    order by n.place
  loop
    continue when not exists (
      select
      from office.runs as r
      join office_internal.lanes as l on l.agent_id = r.agent_id and l.open
      where r.id = v_run.id and r.status = 'queued' and r.parked is null
    );
    select c.* into v_said
    from office_internal.budget_refusals(v_run.id, v_now, v_budgets, v_amounts) as c
    order by c.place
    limit 1;
    if v_said.budget_id is null then
      v_admitted := v_admitted || v_run.id;
      select v_budgets || array_agg(e.budget_id), v_amounts || array_agg(e.expected)
      into v_budgets, v_amounts
      from office_internal.run_budgets(v_run.id) as e;
      continue;
    end if;
    select b.* into v_budget from office.budgets as b where b.id = v_said.budget_id;
    if v_said.waits is null then
      raise exception 'the total of a budget is not there';
    end if;
    if v_said.waits then
      -- With it all of its agent's that could be claimed and would be refused for the same reason.
      update office.runs as r
      set parked = 'budget', parked_budget_id = v_budget.id, due_at = v_said.until, parked_detail = v_said.detail
      from office.runs as q
      left join office.tasks as t on t.id = q.task_id
      where q.agent_id = v_run.agent_id and q.status = 'queued' and q.parked is null and q.answered_at is null
        and q.id <> all(v_admitted) and (v_budget.scope <> 'project' or t.project_id = v_budget.project_id)
        and r.id = q.id;
      -- What it waits for may be launched by nobody in the end.
      if v_said.of_this_claim then
        insert into office_internal.signals (workspace_id, kind) values (v_run.workspace_id, 'look');
      end if;
      continue;
    end if;
    perform office_internal.tell_budget(v_budget.id, 'exceeded', v_run.agent_id, null);
    perform office_internal.remember(
      v_run.workspace_id, 'wakeup_budget_blocked',
      jsonb_build_object(
        'budget', office_internal.budget_name(v_budget), 'policy_id', v_budget.id, 'action', v_budget.action_on_exceed,
        'reason', v_said.detail
      ),
      null, v_run.agent_id, v_run.task_id, v_run.id
    );
    if v_budget.action_on_exceed = 'pause_agent' then
      perform office_internal.hold_agents(v_budget.id, array[v_run.agent_id]);
    else
      update office.runs as r
      set status = 'finished', outcome = 'budget_blocked', ended_at = v_now
      where r.id = v_run.id and r.status = 'queued';
    end if;
  end loop;
  return v_admitted;
end
$$;

comment on function office_internal.check_budgets(uuid[]) is 'Asks runs'' budgets, and does what they say.';

-- office_internal.run_budgets: the budgets that a launch of a run counts in, with what it is expected to cost there: its project is that of
-- this moment, its account the one that its executor names. No more than the whole budget: a period in which nothing is spent yet
-- admits one run, whatever those before it have cost.
create or replace function office_internal.run_budgets(run_id uuid)
returns table (budget_id uuid, expected numeric)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select b.id, least(office_internal.run_estimate(r.agent_id, b.run_estimate_cents), b.limit_cents)
    from office.runs as r
    left join office.tasks as t on t.id = r.task_id
    left join office.executors as x on x.id = r.executor_id
    join office.budgets as b
      on b.workspace_id = r.workspace_id and b.removed_at is null
      and office_internal.counts_in(b, r.agent_id, t.project_id, coalesce(x.body ->> 'account', 'included'))
    where r.id = run_budgets.run_id;
end
$$;

comment on function office_internal.run_budgets(uuid) is 'The budgets of a run, and what it is expected to cost.';

-- office_internal.budget_refusals: the budgets that do not admit a run, in the order of the check; waits: only reservations are in its way,
-- and of_this_claim: of launches that this claim has yet to make, given as the budgets and amounts that they will reserve.
create or replace function office_internal.budget_refusals(run_id uuid, at timestamptz, taken_ids uuid[], taken numeric[])
returns table (place integer, budget_id uuid, waits boolean, of_this_claim boolean, until timestamptz, detail text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select
      c.place, c.id, c.spent + c.expected <= c.most and c.spent < c.most, c.spent + c.held + c.expected <= c.most,
      office_internal.period_end(c.period, c.period_start),
      format(
        '%s: %s of %s cents are spent, %s are reserved, and a run is expected to cost %s', c.words,
        office_internal.cents_text(c.spent), office_internal.cents_text(c.most), office_internal.cents_text(c.held + c.soon),
        office_internal.cents_text(c.expected)
      )
    from (
      select
        row_number() over (order by b.scope = 'agent', b.scope = 'project', b.id)::integer as place, b.id, b.period, p.period_start,
        b.limit_cents as most, p.spent_cents as spent, e.expected, h.held, s.soon, office_internal.budget_words(b) as words
      from office_internal.run_budgets(budget_refusals.run_id) as e
      join office.budgets as b on b.id = e.budget_id and b.action_on_exceed <> 'notify'
      left join office.budget_periods as p
        on p.budget_id = b.id and p.period_start = office_internal.period_start(b.period, budget_refusals.at)
      cross join lateral (
        select coalesce(sum(v.amount_cents), 0) as held
        from office.budget_reservations as v
        where v.budget_id = b.id and v.period_start = p.period_start
      ) as h
      cross join lateral (
        select coalesce(sum(t.amount), 0) as soon
        from unnest(taken_ids, taken) as t (id, amount)
        where t.id = b.id
      ) as s
    ) as c
    -- A total that is not there admits nobody.
    where (c.spent < c.most and c.spent + c.held + c.soon + c.expected <= c.most) is not true;
end
$$;

comment on function office_internal.budget_refusals(uuid, timestamptz, uuid[], numeric[]) is 'The budgets that do not admit a run.';
