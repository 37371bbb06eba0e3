-- Triggers of office.usage_events, the ledger: what holds for every row that comes in, by function or by hand (B1, B2, E2).
--   usage_events_gate    before a hand-written insert: all gates (A6)
--   usage_events_fill    each row: what its attempt says of it, the project of this moment, and the cost: reported, else estimated, else
--                        unknown
--   usage_events_count   after the statement: reservations are settled, totals are added to, and budgets are judged
--   usage_events_final   the ledger is only added to

create or replace function office_internal.usage_events_fill()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run record;
begin
  if new.attempt_id is not null then
    select a.workspace_id, r.id, r.agent_id, r.task_id, x.body ->> 'account' as account, x.model
    into v_run
    from office.attempts as a
    join office.runs as r on r.id = a.run_id
    left join office.executors as x on x.id = r.executor_id
    where a.id = new.attempt_id;
    if v_run.workspace_id is distinct from new.workspace_id then
      perform office_internal.refuse(
        'not_found', 'The attempt of a usage event is one of its workspace.', 'Name an attempt of that workspace, or none.',
        jsonb_build_object('noun', 'attempt', 'given', new.attempt_id)
      );
    end if;
    new.run_id := v_run.id;
    new.agent_id := v_run.agent_id;
    new.task_id := v_run.task_id;
    new.account := coalesce(new.account, v_run.account);
    new.model := coalesce(new.model, v_run.model);
  end if;
  new.account := coalesce(new.account, 'included');
  new.project_id := coalesce(new.project_id, (select t.project_id from office.tasks as t where t.id = new.task_id));
  if new.cost_cents is null then
    new.cost_cents := office_internal.cost_estimate(
      new.model, new.tokens_in, new.tokens_cached_read, new.tokens_cached_write, new.tokens_out
    );
    new.cost_source := case when new.cost_cents is null then 'unknown' else 'estimated' end;
  else
    new.cost_source := coalesce(new.cost_source, 'reported');
  end if;
  return new;
end
$$;
comment on function office_internal.usage_events_fill() is 'Fills in what a usage event is of, and what it cost.';

create or replace function office_internal.usage_events_count()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_new uuid[];
  v_starts date[];
begin
  if not exists (select from new_rows) then
    return null;
  end if;
  perform office_internal.need_gates(array(select distinct n.workspace_id from new_rows as n));
  if not exists (select from new_rows as n join office.budgets as b on b.workspace_id = n.workspace_id and b.removed_at is null) then
    return null;
  end if;
  -- What was expected has come, as far as it has come.
  update office.budget_reservations as v
  set amount_cents = greatest(v.amount_cents - u.cost, 0)
  from (
    select n.attempt_id, b.id as budget_id, sum(n.cost_cents) as cost
    from new_rows as n
    join office.budgets as b
      on b.workspace_id = n.workspace_id and office_internal.counts_in(b, n.agent_id, n.project_id, n.account)
    where n.attempt_id is not null
    group by n.attempt_id, b.id
  ) as u
  where v.attempt_id = u.attempt_id and v.budget_id = u.budget_id and u.cost > 0 and v.amount_cents > 0;
  with counted as (
    select
      b.id, office_internal.period_start(b.period, n.at) as period_start, coalesce(sum(n.cost_cents), 0) as cost,
      count(*) - count(n.cost_cents) as unknown
    from new_rows as n
    join office.budgets as b
      on b.workspace_id = n.workspace_id and b.removed_at is null
      and office_internal.counts_in(b, n.agent_id, n.project_id, n.account)
    group by b.id, office_internal.period_start(b.period, n.at)
  ),
  added as (
    update office.budget_periods as p
    set spent_cents = p.spent_cents + c.cost, unknown_events = p.unknown_events + c.unknown
    from counted as c
    where p.budget_id = c.id and p.period_start = c.period_start
    returning p.budget_id, p.period_start
  )
  select array_agg(c.id), array_agg(c.period_start)
  into v_new, v_starts
  from counted as c
  where not exists (select from added as a where a.budget_id = c.id and a.period_start = c.period_start);
  -- A period that has no row yet gets it with all that the ledger has, these rows too.
  perform office_internal.open_period(p.id, p.start) from unnest(v_new, v_starts) as p (id, start);
  perform office_internal.judge_budgets(g.budget_ids, g.agent_id, g.attempt_id), office_internal.stop_over(g.attempt_id, g.budget_ids)
  from (
    select n.agent_id, n.attempt_id, array_agg(distinct b.id) as budget_ids
    from new_rows as n
    join office.budgets as b
      on b.workspace_id = n.workspace_id and b.removed_at is null
      and office_internal.counts_in(b, n.agent_id, n.project_id, n.account)
    group by n.agent_id, n.attempt_id
  ) as g;
  return null;
end
$$;
comment on function office_internal.usage_events_count() is 'Adds usage to the totals of its budgets, and judges them.';

create or replace function office_internal.usage_events_final()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.refuse(
    'conflict', 'The ledger is only added to.', 'What was recorded stays; a budget''s limit can be raised: office.set_budget.'
  );
  return null;
end
$$;
comment on function office_internal.usage_events_final() is 'Keeps the ledger as it is.';

create or replace trigger usage_events_gate
before insert on office.usage_events
for each statement execute function office_internal.guard_gate();

create or replace trigger usage_events_fill
before insert on office.usage_events
for each row execute function office_internal.usage_events_fill();

create or replace trigger usage_events_count
after insert on office.usage_events
referencing new table as new_rows
for each statement execute function office_internal.usage_events_count();

create or replace trigger usage_events_final
before update or delete or truncate on office.usage_events
for each statement execute function office_internal.usage_events_final();
