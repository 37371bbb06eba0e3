-- Money: the ledger of what runs used, budgets and their totals, what launches have reserved of them, and whom they have paused (B1, B2).
-- And the slots of the office's own scheduled work, which settles and tidies (J1).
-- Amounts are cents with six exact decimals, so whole millionths of a cent; what is not known is null, never 0.

create table office.usage_events (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null,
  usage_event_id text collate "C" not null check (length(usage_event_id) between 1 and 200),
  at timestamptz not null default office.now(),
  attempt_id uuid,
  run_id uuid,
  agent_id uuid not null,
  task_id uuid,
  project_id uuid,
  account text not null check (account in ('included', 'personal')),
  model text check (length(model) between 1 and 200),
  tokens_in bigint check (tokens_in >= 0),
  tokens_cached_read bigint check (tokens_cached_read >= 0),
  tokens_cached_write bigint check (tokens_cached_write >= 0),
  tokens_out bigint check (tokens_out >= 0),
  cost_cents numeric(20, 6) check (cost_cents between 0 and 100000000),
  cost_source text not null check (cost_source in ('reported', 'estimated', 'unknown')),
  unique (workspace_id, usage_event_id),
  check ((cost_cents is null) = (cost_source = 'unknown'))
);
create index usage_events_at on office.usage_events (workspace_id, at);
create index usage_events_attempt on office.usage_events (attempt_id) where attempt_id is not null;
comment on table office.usage_events is 'The ledger: one row a usage event, inserted once and never changed (B1).';
comment on column office.usage_events.id is 'Identity, time-ordered.';
comment on column office.usage_events.workspace_id is 'Its workspace.';
comment on column office.usage_events.usage_event_id is 'The reporter''s own id, unique in the workspace: a redelivery counts once.';
comment on column office.usage_events.at is 'When it was recorded; its UTC date is the period that it counts in.';
comment on column office.usage_events.attempt_id is 'The attempt that used it.';
comment on column office.usage_events.run_id is 'That attempt''s run.';
comment on column office.usage_events.agent_id is 'The agent.';
comment on column office.usage_events.task_id is 'The task.';
comment on column office.usage_events.project_id is 'The task''s project at that time; the task may move since.';
comment on column office.usage_events.account
is 'Who pays: included (the office''s accounts) or personal (the person''s own); counted apart.';
comment on column office.usage_events.model is 'The model that the engine reported.';
comment on column office.usage_events.tokens_in is 'Tokens read anew; null: unknown.';
comment on column office.usage_events.tokens_cached_read is 'Tokens read from a cache; null: unknown.';
comment on column office.usage_events.tokens_cached_write is 'Tokens written to a cache; null: unknown.';
comment on column office.usage_events.tokens_out is 'Tokens written; null: unknown.';
comment on column office.usage_events.cost_cents is 'What it cost, in cents; null: unknown.';
comment on column office.usage_events.cost_source is 'reported by the engine, estimated from office.model_prices, or unknown.';

create table office.model_prices (
  model text primary key check (length(model) between 1 and 200),
  input_cents numeric(14, 4) not null check (input_cents between 0 and 1000000000),
  cached_read_cents numeric(14, 4) check (cached_read_cents between 0 and 1000000000),
  cached_write_cents numeric(14, 4) check (cached_write_cents between 0 and 1000000000),
  output_cents numeric(14, 4) not null check (output_cents between 0 and 1000000000),
  set_at timestamptz not null default office.now()
);
comment on table office.model_prices
is 'What models cost, in cents a million tokens: costs are estimated from it where none is reported (E2). Operators write it.';
comment on column office.model_prices.model is 'The model, as engines report it.';
comment on column office.model_prices.input_cents is 'A million tokens read anew.';
comment on column office.model_prices.cached_read_cents is 'A million tokens read from a cache; null: as those read anew.';
comment on column office.model_prices.cached_write_cents is 'A million tokens written to a cache; null: as those read anew.';
comment on column office.model_prices.output_cents is 'A million tokens written.';
comment on column office.model_prices.set_at is 'When it was set.';

create table office.budgets (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  scope text not null check (scope in ('workspace', 'project', 'agent')),
  project_id uuid references office.projects (id),
  agent_id uuid references office.agents (id),
  account text not null default 'included' check (account in ('included', 'personal')),
  period text not null default 'month' check (period in ('day', 'month', 'year', 'total')),
  limit_cents numeric(20, 6) not null check (limit_cents between 0 and 1000000000000),
  alert_percent integer not null default 80 check (alert_percent between 1 and 100),
  action_on_exceed text not null default 'pause_agent' check (action_on_exceed in ('notify', 'pause_agent', 'block_new_tasks')),
  stop_running boolean not null default false,
  run_estimate_cents numeric(20, 6) not null check (run_estimate_cents between 0 and 1000000000000),
  set_by uuid references office.accounts (id),
  set_at timestamptz not null default office.now(),
  removed_at timestamptz,
  check ((project_id is not null) = (scope = 'project')),
  check ((agent_id is not null) = (scope = 'agent'))
);
create unique index budgets_once on office.budgets (workspace_id, scope, coalesce(project_id, agent_id), account, period)
nulls not distinct
where removed_at is null;
create index budgets_workspace on office.budgets (workspace_id);
comment on table office.budgets is 'Budgets: how much a workspace, project or agent may spend a period, and what happens then (B1).';
comment on column office.budgets.id is 'Identity, time-ordered.';
comment on column office.budgets.workspace_id is 'Its workspace.';
comment on column office.budgets.scope is 'workspace, project or agent.';
comment on column office.budgets.project_id is 'The project, for that scope.';
comment on column office.budgets.agent_id is 'The agent, for that scope.';
comment on column office.budgets.account is 'Which spending it counts: included or personal.';
comment on column office.budgets.period is 'day, month, year (UTC), or total.';
comment on column office.budgets.limit_cents is 'How much may be spent a period, in cents.';
comment on column office.budgets.alert_percent is 'At so much of it people and the one who leads are told, once a period; 1 to 100.';
comment on column office.budgets.action_on_exceed
is 'notify: only told; pause_agent: agents in scope are paused; block_new_tasks: new runs end budget_blocked.';
comment on column office.budgets.stop_running is 'A run is ended at its next usage event once the budget is passed.';
comment on column office.budgets.run_estimate_cents is 'What a launch reserves while its agent has no run of a known cost.';
comment on column office.budgets.set_by is 'Who set it last.';
comment on column office.budgets.set_at is 'When.';
comment on column office.budgets.removed_at is 'When it was removed; null: it holds.';

create table office.budget_periods (
  budget_id uuid not null,
  period_start date not null,
  workspace_id uuid not null,
  spent_cents numeric(20, 6) not null default 0,
  unknown_events integer not null default 0,
  over boolean not null default false,
  alerted_at timestamptz,
  exceeded_at timestamptz,
  settled_at timestamptz,
  primary key (budget_id, period_start)
) with (fillfactor = 50);
create index budget_periods_unsettled on office.budget_periods (period_start) where settled_at is null;
comment on table office.budget_periods is 'What was spent of each budget in each period: totals of the ledger, kept with it.';
comment on column office.budget_periods.budget_id is 'The budget.';
comment on column office.budget_periods.period_start is 'First UTC day of the period; 1970-01-01 for total.';
comment on column office.budget_periods.workspace_id is 'Its workspace.';
comment on column office.budget_periods.spent_cents is 'What was spent, in cents, as far as it is known.';
comment on column office.budget_periods.unknown_events is 'Usage events of unknown cost, which it does not count.';
comment on column office.budget_periods.over is 'The limit was reached, when the office last looked.';
comment on column office.budget_periods.alerted_at is 'When the alert was given, or passed over.';
comment on column office.budget_periods.exceeded_at is 'When it was told that nothing more may be spent.';
comment on column office.budget_periods.settled_at is 'When its reservations were released for good, two days after its end.';

create table office.budget_reservations (
  attempt_id uuid not null,
  budget_id uuid not null,
  workspace_id uuid not null,
  period_start date not null,
  amount_cents numeric(20, 6) not null check (amount_cents between 0 and 1000000000000),
  primary key (attempt_id, budget_id)
) with (fillfactor = 50);
create index budget_reservations_budget on office.budget_reservations (budget_id, period_start);
comment on table office.budget_reservations
is 'What live attempts are expected to spend yet: held at the launch, less what the ledger has of it (B2).';
comment on column office.budget_reservations.attempt_id is 'The live attempt.';
comment on column office.budget_reservations.budget_id is 'The budget.';
comment on column office.budget_reservations.workspace_id is 'Its workspace.';
comment on column office.budget_reservations.period_start is 'The period in which it was launched.';
comment on column office.budget_reservations.amount_cents is 'What is still expected, in cents.';

create table office_internal.budget_pauses (
  agent_id uuid not null,
  budget_id uuid not null,
  workspace_id uuid not null,
  period_start date not null,
  limit_cents numeric(20, 6) not null,
  since timestamptz not null,
  primary key (agent_id, budget_id)
);
create index budget_pauses_budget on office_internal.budget_pauses (budget_id);
comment on table office_internal.budget_pauses
is 'Whom a budget has paused: a new period or a raised limit lets these go, and no others.';
comment on column office_internal.budget_pauses.agent_id is 'The agent.';
comment on column office_internal.budget_pauses.budget_id is 'The budget.';
comment on column office_internal.budget_pauses.workspace_id is 'Its workspace.';
comment on column office_internal.budget_pauses.period_start is 'The period that was spent.';
comment on column office_internal.budget_pauses.limit_cents is 'The limit that was passed.';
comment on column office_internal.budget_pauses.since is 'Since when.';

-- A change that pauses an agent names who does, so that only that is taken back.
alter table office_internal.changes
add column paused_by text constraint changes_paused_by check (paused_by in ('budget', 'failures'));
comment on column office_internal.changes.paused_by is 'Who pauses the agent, or lets it go; null: failures.';

alter table office.runs
add column parked_budget_id uuid;
comment on column office.runs.parked_budget_id is 'The budget whose room it waits for.';
-- Who waits for a budget: the claim calls the first of each agent, and no other (Q14).
-- squawk-ignore require-concurrent-index-creation
create index runs_wait_for_budget on office.runs (workspace_id, parked_budget_id, agent_id, requested_at, id)
  where status = 'queued' and parked = 'budget';

-- squawk-ignore ban-drop-constraint
alter table office.runs drop constraint runs_parked_check;
-- squawk-ignore constraint-missing-not-valid
alter table office.runs
add constraint runs_parked_check
check (parked in ('retry', 'window', 'snooze', 'blocker', 'checkout', 'resource', 'provider', 'budget')) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office.runs validate constraint runs_parked_check;

-- The office's own scheduled work (J1): a slot is claimed once, whoever comes, and its row says what was done.
create table office.maintenance_slots (
  name text not null,
  scope uuid not null default '00000000-0000-0000-0000-000000000000',
  slot timestamptz not null,
  begun_at timestamptz not null,
  ended_at timestamptz,
  done bigint not null default 0,
  place text,
  primary key (name, scope, slot)
);
comment on table office.maintenance_slots is 'Slots of the office''s own work: each is done once (J1).';
comment on column office.maintenance_slots.name is 'Which piece of work.';
comment on column office.maintenance_slots.scope is 'For which workspace or account; zeros: for the office.';
comment on column office.maintenance_slots.slot is 'The moment that it is the slot of.';
comment on column office.maintenance_slots.begun_at is 'When it was begun.';
comment on column office.maintenance_slots.ended_at is 'When it was done; null: it goes on with the next call.';
comment on column office.maintenance_slots.done is 'How much was done so far.';
comment on column office.maintenance_slots.place is 'Where it goes on.';
