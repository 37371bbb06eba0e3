-- office_internal.budget_name: what a budget is of, as office.set_budget takes it: workspace:acme, project:acme/site, agent:acme/builder.
create or replace function office_internal.budget_name(budget office.budgets)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select
      (budget).scope || ':' || w.name || case (budget).scope
        when 'project' then '/' || (select p.name from office.projects as p where p.id = (budget).project_id)
        when 'agent' then '/' || (select a.name from office.agents as a where a.id = (budget).agent_id)
        else ''
      end
    from office.workspaces as w
    where w.id = (budget).workspace_id
  );
end
$$;

comment on function office_internal.budget_name(office.budgets) is 'What a budget is of: agent:acme/builder.';

-- office_internal.budget_words: the same for people: the day budget of agent:acme/builder.
create or replace function office_internal.budget_words(budget office.budgets)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return format(
    'the %s budget of %s%s', (budget).period, office_internal.budget_name(budget),
    case when (budget).account = 'personal' then ' (personal)' end
  );
end
$$;

comment on function office_internal.budget_words(office.budgets) is 'A budget in words.';

-- office_internal.budget_lift: the call that raises its limit.
create or replace function office_internal.budget_lift(budget office.budgets)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return format(
    'select * from office.set_budget(%L, %s, period => %L%s);', office_internal.budget_name(budget),
    office_internal.cents_text(greatest(2 * (budget).limit_cents, 1)), (budget).period,
    case when (budget).account = 'personal' then ', account => ''personal''' end
  );
end
$$;

comment on function office_internal.budget_lift(office.budgets) is 'The call that raises a budget''s limit.';
