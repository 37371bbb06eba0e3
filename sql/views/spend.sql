-- office.spend: what was spent, a row a UTC day, agent, project, account and model (B1). Tokens and cents are as far as they are known:
-- null where nothing is; unknown_events says of how many events the cost is not.
create view office.spend with (security_invoker = true) as
select
  (u.at at time zone 'UTC')::date as day,
  w.name as workspace,
  a.name as agent,
  p.name as project,
  u.account,
  u.model,
  count(distinct u.run_id) as runs,
  count(*) as events,
  sum(u.tokens_in) as tokens_in,
  sum(u.tokens_cached_read) as tokens_cached_read,
  sum(u.tokens_cached_write) as tokens_cached_write,
  sum(u.tokens_out) as tokens_out,
  sum(u.cost_cents) as cost_cents,
  sum(u.cost_cents) filter (where u.cost_source = 'estimated') as estimated_cents,
  count(*) filter (where u.cost_source = 'unknown') as unknown_events
from office.usage_events as u
join office.workspaces as w on w.id = u.workspace_id
left join office.agents as a on a.id = u.agent_id
left join office.projects as p on p.id = u.project_id
where office.is_somebody()
group by (u.at at time zone 'UTC')::date, w.name, a.name, p.name, u.account, u.model
order by (u.at at time zone 'UTC')::date desc, w.name asc, a.name asc, p.name asc, u.account asc, u.model asc;

comment on view office.spend is 'What was spent, by day, agent, project, account and model.';
comment on column office.spend.day is 'The UTC day.';
comment on column office.spend.workspace is 'The workspace.';
comment on column office.spend.agent is 'The agent.';
comment on column office.spend.project is 'The project of that time; null: none.';
comment on column office.spend.account is 'included or personal.';
comment on column office.spend.model is 'The model, as far as it was told.';
comment on column office.spend.runs is 'How many runs.';
comment on column office.spend.events is 'How many usage events.';
comment on column office.spend.tokens_in is 'Tokens read anew; null: unknown.';
comment on column office.spend.tokens_cached_read is 'Tokens read from a cache; null: unknown.';
comment on column office.spend.tokens_cached_write is 'Tokens written to a cache; null: unknown.';
comment on column office.spend.tokens_out is 'Tokens written; null: unknown.';
comment on column office.spend.cost_cents is 'Cents, as far as they are known; null: none is.';
comment on column office.spend.estimated_cents is 'How many of them are estimated from office.model_prices; null: none.';
comment on column office.spend.unknown_events is 'Events of unknown cost.';
