-- office_internal.counts_in: whether what an agent uses for a project, by an account, counts in a budget of its workspace (B1).
create or replace function office_internal.counts_in(budget office.budgets, agent_id uuid, project_id uuid, account text)
returns boolean
language sql immutable parallel safe
return (budget).account = counts_in.account and case (budget).scope
  when 'workspace' then true
  when 'agent' then (budget).agent_id = counts_in.agent_id
  else coalesce((budget).project_id = counts_in.project_id, false)
end;

comment on function office_internal.counts_in(office.budgets, uuid, uuid, text) is 'Whether something counts in a budget.';
