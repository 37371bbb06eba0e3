-- Whose account a run spends from, what is on hold there and how much may go at once (Q25, S6); what an attempt may use up (S6); what
-- pauses an agent by itself (Q23). Provider accounts span workspaces: who decides on one holds its row of office_internal.shared (A6).

-- A table of few rows.
alter table office.executors
-- squawk-ignore adding-field-with-default
add column provider text generated always as (body ->> 'provider') stored,
-- squawk-ignore adding-field-with-default
add column model text generated always as (body ->> 'model') stored;
comment on column office.executors.provider is 'Provider account that it spends from (anthropic:team); null: it is not said.';
comment on column office.executors.model is 'Model that it asks for; a limit of that model alone holds only those that ask for it.';

create table office.provider_limits (
  provider text collate "C" primary key,
  max_requests integer not null check (max_requests between 1 and 10000),
  excess integer not null default 0,
  set_by uuid references office.accounts (id),
  set_at timestamptz not null
);
comment on table office.provider_limits
is 'At most so many requests at one provider account at once (S6); office.set_provider_limit sets it.';
comment on column office.provider_limits.provider is 'The provider account, as executors name it.';
comment on column office.provider_limits.max_requests
is 'Most live runs of it at once, in all workspaces; one that waits for a person counts as none.';
comment on column office.provider_limits.excess
is 'How many of its live runs are over that because the limit was lowered, or an answer let one go on.';
comment on column office.provider_limits.set_by is 'Who set it.';
comment on column office.provider_limits.set_at is 'When.';

create table office.provider_holds (
  id uuid primary key default office.uuid7(),
  provider text collate "C" not null,
  model text collate "C",
  until timestamptz not null,
  since timestamptz not null,
  reason text not null,
  run_id uuid not null,
  attempt_id uuid,
  probe_run_id uuid,
  ended_at timestamptz,
  ended_by text check (ended_by in ('probe', 'operator', 'time')),
  check ((ended_at is null) = (ended_by is null))
);
create unique index provider_holds_open on office.provider_holds (provider, model) nulls not distinct where ended_at is null;
create index provider_holds_probe on office.provider_holds (probe_run_id) where probe_run_id is not null and ended_at is null;
comment on table office.provider_holds is 'Provider accounts whose limit was hit: nothing is launched there until it has reset (Q25).';
comment on column office.provider_holds.id is 'Identity, time-ordered.';
comment on column office.provider_holds.provider is 'The provider account.';
comment on column office.provider_holds.model is 'The model whose limit it is; null: the whole account''s.';
comment on column office.provider_holds.until is 'The limit''s reset and 30 s; from then on one run tries it.';
comment on column office.provider_holds.since is 'When the limit was first hit.';
comment on column office.provider_holds.reason is 'What was hit, in words.';
comment on column office.provider_holds.run_id is 'The run that hit it last.';
comment on column office.provider_holds.attempt_id is 'That run''s attempt, with the error.';
comment on column office.provider_holds.probe_run_id is 'The one run that tries whether it has reset; its success ends the hold.';
comment on column office.provider_holds.ended_at is 'When it ended; null: it holds.';
comment on column office.provider_holds.ended_by
is 'probe: a run succeeded; operator: office.end_hold; time: it had passed and nobody waited.';

-- Who waits for a provider, by what they launch: the claim calls the first of each, and no other (Q14).
-- squawk-ignore require-concurrent-index-creation
create index runs_wait_for_provider on office.runs (workspace_id, executor_id, requested_at, id)
  where status = 'queued' and parked = 'provider';

create table office_internal.limits_reached (
  attempt_id uuid primary key references office.attempts (id),
  workspace_id uuid not null,
  setting text not null references office.setting_definitions (key),
  allowed integer not null,
  reached_at timestamptz not null
);
comment on table office_internal.limits_reached
is 'Attempts that used up what one attempt may (S6): they are asked to stop, and end blocked.';
comment on column office_internal.limits_reached.attempt_id is 'The attempt.';
comment on column office_internal.limits_reached.workspace_id is 'Its workspace.';
comment on column office_internal.limits_reached.setting is 'Which limit: attempt_turns or attempt_tool_calls.';
comment on column office_internal.limits_reached.allowed is 'What it was.';
comment on column office_internal.limits_reached.reached_at is 'When.';

-- Counted while the attempt runs, however much else it prints.
-- squawk-ignore require-concurrent-index-creation
create index attempt_steps_model on office.attempt_steps (attempt_id, sequence) include (kind)
  where kind in ('message', 'reasoning', 'tool_call', 'tool_result', 'usage');

create type office_internal.said_limit as (is_limit boolean, reset_at timestamptz, pattern text, model text);
comment on type office_internal.said_limit is 'What an error says of a provider''s limit: is_limit, reset_at and pattern as
office.read_rate_limit; the model whose limit it is, null: the whole account''s.';

insert into office.setting_definitions (key, scopes, value_type, default_value, minimum, maximum, choices, meaning) values
  ('attempt_turns', '{office,workspace}', 'integer', '40', 1, 100000, null, 'model turns of one attempt (S6)'),
  ('attempt_tool_calls', '{office,workspace}', 'integer', '200', 1, 1000000, null, 'tool calls of one attempt (S6)'),
  ('auto_pause_after', '{office,workspace}', 'integer', '3', 0, 1000, null,
    'so many runs in a row that gave up pause their agent; 0: never (Q23)');

alter table office.agents
add column auto_pause_after integer constraint agents_auto_pause_after_check check (auto_pause_after between 0 and 1000);
comment on column office.agents.auto_pause_after
is 'So many of its runs in a row that gave up pause it; 0: never; null: as the setting auto_pause_after says (Q23).';

alter table office_internal.lanes
add column gave_up integer not null default 0;
comment on column office_internal.lanes.gave_up
is 'Runs of it in a row that gave up, since the last that succeeded or a person resumed it (Q23).';

-- squawk-ignore ban-drop-constraint
alter table office_internal.changes drop constraint changes_kind_check;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.changes
add constraint changes_kind_check check (kind in ('move_task', 'pause_agent')) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.changes validate constraint changes_kind_check;
alter table office_internal.changes
add column reason text;
comment on column office_internal.changes.reason is 'Why, for what keeps a reason.';
-- squawk-ignore require-concurrent-index-creation
create index changes_pause on office_internal.changes (agent_id) where kind = 'pause_agent';
