-- What happened, and what a person should look at.

create table office.activity (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null,
  at timestamptz not null default office.now(),
  kind text not null,
  account_id uuid,
  agent_id uuid,
  task_id uuid,
  run_id uuid,
  attempt_id uuid,
  wakeup_id uuid,
  detail jsonb not null default '{}'
);
create index activity_workspace on office.activity (workspace_id, at);
create index activity_task on office.activity (task_id, at) where task_id is not null;
create index activity_run on office.activity (run_id, at) where run_id is not null;
comment on table office.activity is 'What happened, one row an event; insert only.';
comment on column office.activity.id is 'Identity, time-ordered; the id of a move or assignment.';
comment on column office.activity.workspace_id is 'The workspace concerned.';
comment on column office.activity.at is 'When.';
comment on column office.activity.kind is 'What: task_moved, task_assigned, wakeup_idle_skipped, run_ended, …';
comment on column office.activity.account_id is 'Account that did it.';
comment on column office.activity.agent_id is 'Agent that did it, or that it concerns.';
comment on column office.activity.task_id is 'The task.';
comment on column office.activity.run_id is 'The run.';
comment on column office.activity.attempt_id is 'The attempt.';
comment on column office.activity.wakeup_id is 'The wakeup.';
comment on column office.activity.detail is 'The rest, by kind.';

create table office.inbox_items (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null,
  kind text not null,
  title text not null,
  body text not null default '',
  agent_id uuid,
  task_id uuid,
  run_id uuid,
  dedup_key text not null,
  created_at timestamptz not null default office.now(),
  closed_at timestamptz
);
create unique index inbox_items_open on office.inbox_items (workspace_id, dedup_key) where closed_at is null;
create index inbox_items_run on office.inbox_items (run_id) where closed_at is null and run_id is not null;
comment on table office.inbox_items is 'What a person should look at; each once while it is open.';
comment on column office.inbox_items.id is 'Identity, time-ordered.';
comment on column office.inbox_items.workspace_id is 'The workspace concerned.';
comment on column office.inbox_items.kind is 'agent.error, run.blocked, run.interrupted, …';
comment on column office.inbox_items.title is 'One line.';
comment on column office.inbox_items.body is 'What happened and what to do.';
comment on column office.inbox_items.agent_id is 'The agent.';
comment on column office.inbox_items.task_id is 'The task.';
comment on column office.inbox_items.run_id is 'The run.';
comment on column office.inbox_items.dedup_key is 'At most one open item has it.';
comment on column office.inbox_items.created_at is 'When it was made.';
comment on column office.inbox_items.closed_at is 'When it was settled; null: it is open.';
