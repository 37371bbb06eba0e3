-- The loop guard (Q27), and what is looked for on a bad night: runs that a person must see to, and since when a run is stopping.

insert into office.setting_definitions (key, scopes, value_type, default_value, minimum, maximum, choices, meaning) values
  ('max_runs_per_hour', '{office,workspace}', 'integer', '30', 1, 1000000, null,
    'launches of one agent within an hour; wakes past them that no person caused are skipped (Q27)');

insert into office.wakeup_moves (from_status, to_status) values ('queued', 'skipped');

alter table office.runs add column stopping_at timestamptz;
comment on column office.runs.stopping_at is 'When it was asked to stop; null: it was not.';

-- An agent's launches of the last hour are counted here and, those under way, in runs_active. One entry a run, made at its end.
-- squawk-ignore require-concurrent-index-creation
create index runs_launched on office.runs (agent_id, claimed_at) where claimed_at is not null and ended_at is not null;
-- What a person can have tried again.
-- squawk-ignore require-concurrent-index-creation
create index runs_retryable on office.runs (workspace_id, ended_at) where status in ('interrupted', 'failed', 'blocked');
-- One item an agent and hour, closed ones counted.
-- squawk-ignore require-concurrent-index-creation
create index inbox_items_loop on office.inbox_items (workspace_id, dedup_key) where kind = 'agent.loop';
