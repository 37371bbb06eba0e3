-- Launches, checkpoints, receipts, agent sessions: what a run needs to go on where it was, and only where it was (D2, N1, P7).

-- An answer launches the same attempt again, on another worker perhaps: what its first launcher says of it is said of another program.
alter table office.attempts add column launch integer not null default 1 check (launch > 0);
comment on column office.attempts.launch is 'Which launch of this attempt, from 1: an answer launches it again..';

alter type office_internal.launch add attribute launch integer;
alter type office_internal.launch add attribute steps integer;

-- They answer with more than before.
-- squawk-ignore ban-drop-function
drop function if exists office.claim_runs(uuid, integer);
-- squawk-ignore ban-drop-function
drop function if exists office.abandoned_attempts(text);

-- What an agent saves to go on from, and which of its writes are done (D2). Inserted only, without a gate.
create table office.checkpoints (
  id uuid primary key default office.uuid7(),
  number bigint generated always as identity,
  workspace_id uuid not null,
  run_id uuid not null,
  attempt_id uuid not null,
  state jsonb not null check (jsonb_typeof(state) = 'object'),
  operation jsonb check (jsonb_typeof(operation) = 'object'),
  operation_digest bytea,
  tree text check (length(tree) between 1 and 200),
  saved_at timestamptz not null,
  check ((operation is null) = (operation_digest is null))
);
create index checkpoints_run on office.checkpoints (run_id, number);
create index checkpoints_attempt on office.checkpoints (attempt_id, number);
comment on table office.checkpoints is 'What attempts saved to go on from: the last of a run counts (D2).';
comment on column office.checkpoints.id is 'Identity, time-ordered.';
comment on column office.checkpoints.number is 'Order.';
comment on column office.checkpoints.workspace_id is 'Its workspace.';
comment on column office.checkpoints.run_id is 'The run.';
comment on column office.checkpoints.attempt_id is 'The attempt that saved it.';
comment on column office.checkpoints.state is 'What the agent needs to go on: messages, counters; its own.';
comment on column office.checkpoints.operation is 'What it is about to do; null: nothing that it asks about.';
comment on column office.checkpoints.operation_digest is 'sha256 of that.';
comment on column office.checkpoints.tree
is 'Identity of the working tree: git''s HEAD with what differs from it, else paths, sizes and times, hashed.';
comment on column office.checkpoints.saved_at is 'When.';

create table office.receipts (
  run_id uuid not null,
  key text collate "C" not null check (length(key) between 1 and 200),
  workspace_id uuid not null,
  attempt_id uuid not null,
  detail jsonb not null check (jsonb_typeof(detail) = 'object'),
  written_at timestamptz not null,
  primary key (run_id, key)
);
comment on table office.receipts is 'Which writes of a run are done: no attempt of it repeats one that has its receipt (D2).';
comment on column office.receipts.run_id is 'The run.';
comment on column office.receipts.key is 'Names the write, in the agent''s words.';
comment on column office.receipts.workspace_id is 'Its workspace.';
comment on column office.receipts.attempt_id is 'The attempt that did it.';
comment on column office.receipts.detail is 'What came of it.';
comment on column office.receipts.written_at is 'When it was recorded.';

-- What is asked before a tool is used, or something is published: it is bound to the operation and to the working tree (D2, D6, D8).
alter table office.decisions
  add column operation jsonb check (jsonb_typeof(operation) = 'object'),
  add column operation_digest bytea,
  add column tree text check (length(tree) between 1 and 200),
  add column checkpoint_id uuid,
  add column rule_id uuid,
  add column spent_at timestamptz;
comment on column office.decisions.operation is 'What the agent wants to do or to publish, as it will be done.';
comment on column office.decisions.operation_digest is 'sha256 of that: the answer covers it and nothing else.';
comment on column office.decisions.tree is 'Identity of the working tree when it was asked.';
comment on column office.decisions.checkpoint_id is 'The run''s last checkpoint when it was asked.';
comment on column office.decisions.rule_id is 'The rule that answered it at once.';
comment on column office.decisions.spent_at is 'When the agent was given an answer that counts once.';
-- squawk-ignore require-concurrent-index-deletion
drop index office.decisions_once;
-- squawk-ignore require-concurrent-index-creation
create unique index decisions_once on office.decisions (attempt_id, fingerprint)
  where fingerprint is not null and status <> 'void' and spent_at is null;
alter type office.decision_reference add attribute operation jsonb;
comment on column office.decision_reference.operation is 'What the agent wants to do or to publish.';

-- "Always allow this here": written by the answer that won, and by nothing else (D3, D8).
create table office.permission_rules (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null,
  agent_id uuid not null,
  project_id uuid,
  bound_to uuid,
  covers text not null check (length(covers) between 1 and 1000),
  choice text not null,
  decision_id uuid not null,
  made_at timestamptz not null
);
create unique index permission_rules_once on office.permission_rules (agent_id, covers, project_id, bound_to) nulls not distinct;
comment on table office.permission_rules is 'Answers to permissions that count for more than once (D8). An operator removes one by DELETE.';
comment on column office.permission_rules.id is 'Identity, time-ordered.';
comment on column office.permission_rules.workspace_id is 'Its workspace.';
comment on column office.permission_rules.agent_id is 'The agent that may.';
comment on column office.permission_rules.project_id is 'The project whose tasks it counts for; null: work of no project.';
comment on column office.permission_rules.bound_to is 'The agent session, or taskless run, that it ends with; null: it counts always.';
comment on column office.permission_rules.covers
is 'What it covers: the operation''s own word for it ("covers"), else its hash: this very operation.';
comment on column office.permission_rules.choice is 'The choice that answers what it covers.';
comment on column office.permission_rules.decision_id is 'The decision by which it was made.';
comment on column office.permission_rules.made_at is 'When.';

-- What an agent and a task have with each other (N1): one open row a pair. How it stands is derived, in office.sessions.
create table office.agent_sessions (
  id uuid primary key default office.uuid7(),
  number bigint generated always as identity,
  workspace_id uuid not null,
  agent_id uuid not null,
  task_id uuid not null,
  engine text,
  engine_session text,
  started_by_account_id uuid,
  last_run_id uuid,
  used_at timestamptz,
  created_at timestamptz not null,
  ended_at timestamptz,
  end_reason text check (end_reason in ('reassigned', 'removed', 'task_cancelled', 'task_deleted', 'agent_deleted')),
  check ((ended_at is null) = (end_reason is null))
) with (fillfactor = 70);
create unique index agent_sessions_number on office.agent_sessions (number);
create unique index agent_sessions_pair on office.agent_sessions (task_id, agent_id) where ended_at is null;
create index agent_sessions_agent on office.agent_sessions (agent_id) where ended_at is null;
comment on table office.agent_sessions
is 'What an agent and a task have with each other, one open row a pair: its runs continue one engine session (N1).';
comment on column office.agent_sessions.id is 'Identity, time-ordered.';
comment on column office.agent_sessions.number is 'Number for people: s12.';
comment on column office.agent_sessions.workspace_id is 'Its workspace.';
comment on column office.agent_sessions.agent_id is 'The agent.';
comment on column office.agent_sessions.task_id is 'The task.';
comment on column office.agent_sessions.engine is 'What keeps the engine session: a run of another engine or folder begins a fresh one.';
comment on column office.agent_sessions.engine_session is 'The engine''s own session id, as last reported.';
comment on column office.agent_sessions.started_by_account_id is 'Its owner: for whom its first run went. He may reorder its queue.';
comment on column office.agent_sessions.last_run_id is 'The run that really ran last.';
comment on column office.agent_sessions.used_at is 'When that started.';
comment on column office.agent_sessions.created_at is 'When it was made.';
comment on column office.agent_sessions.ended_at is 'When the agent left the task, or the task was cancelled; coming back makes a new row.';
comment on column office.agent_sessions.end_reason is 'reassigned, removed, task_cancelled, task_deleted or agent_deleted.';

create type office.session_reference as (session_id uuid, session text, run_id uuid, run text, queue_position integer);
comment on type office.session_reference is 'A message of an agent session''s queue: its wakeup''s run, once it is dispatched.';
comment on column office.session_reference.session_id is 'The session.';
comment on column office.session_reference.session is 'Its number: s12.';
comment on column office.session_reference.run_id is 'The run that carries the message.';
comment on column office.session_reference.run is 'Its number.';
comment on column office.session_reference.queue_position
is 'Its place in the session''s queue: the least goes first; 0 is where its other runs go.';

alter table office.runs
  add column session_id uuid,
  add column queue_position integer,
  add column continues_run_id uuid;
comment on column office.runs.session_id is 'The agent session that it continues, or that it was written into; null: none.';
comment on column office.runs.queue_position
is 'Place of a message in its session''s queue: steers below 0, messages above; null: no message, between them (N2).';
comment on column office.runs.continues_run_id is 'The run of its session that had really run last when it was claimed.';
-- squawk-ignore require-concurrent-index-creation
create index runs_messages on office.runs (task_id, agent_id) where status = 'queued' and queue_position is not null;
-- squawk-ignore require-concurrent-index-creation
create index runs_session_live on office.runs (session_id)
  where session_id is not null and status in ('claimed', 'running', 'waiting', 'stopping');
-- squawk-ignore require-concurrent-index-creation
create index runs_session_turn on office.runs (task_id) where parked = 'session';
-- squawk-ignore ban-drop-constraint
alter table office.runs drop constraint runs_parked_check;
-- squawk-ignore constraint-missing-not-valid
alter table office.runs
add constraint runs_parked_check
check (parked in ('retry', 'window', 'snooze', 'blocker', 'checkout', 'session', 'resource', 'provider', 'budget')) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office.runs validate constraint runs_parked_check;

insert into office.errors (code, status, retryable, meaning) values
  ('session_ended', 409, false, 'The agent session has ended: its agent left the task, or the task was cancelled.');
