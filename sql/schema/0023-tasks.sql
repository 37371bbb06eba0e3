-- What the rules of tasks need beside the tasks: the guard of blockers (T8), rounds and verdicts of reviews (T9), channels (T7),
-- requests from one person to another (T12), the slots of recovery (T11).

-- One row a workspace that nothing else touches: whoever adds blockers updates it, so that of two halves of a cycle added at once
-- the second sees the first.
create table office_internal.blocker_guards (
  workspace_id uuid primary key,
  xid xid8 not null
);
comment on table office_internal.blocker_guards is 'Serialises who adds blockers to tasks of a workspace (T8).';
comment on column office_internal.blocker_guards.workspace_id is 'The workspace.';
comment on column office_internal.blocker_guards.xid is 'The last transaction that added some.';

alter table office.tasks
  add column review_round integer not null default 0,
  add column wake_after_approval boolean not null default false,
  -- squawk-ignore adding-foreign-key-constraint
  add column requested_by_account_id uuid references office.accounts (id),
  add column requested_by_node_id text,
  add column peer_request_id text,
  add column request_answer text check (request_answer in ('accepted_private', 'accepted_shared', 'declined')),
  add column request_note text,
  add column request_answered_at timestamptz;
comment on column office.tasks.review_round is 'How often it has come into review; verdicts count for their round (T9).';
comment on column office.tasks.wake_after_approval
is 'Its last approval wakes the assignee, who closes it himself; else it is done with that.';
comment on column office.tasks.requested_by_account_id is 'The person who asked another for it (T12).';
comment on column office.tasks.requested_by_node_id is 'That person''s node.';
comment on column office.tasks.peer_request_id is 'That person''s id of the request.';
comment on column office.tasks.request_answer is 'What the person asked has answered: accepted_private, accepted_shared or declined.';
comment on column office.tasks.request_note is 'What was said with it.';
comment on column office.tasks.request_answered_at is 'When.';

create table office.task_reviews (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  task_id uuid not null references office.tasks (id),
  round integer not null check (round > 0),
  account_id uuid references office.accounts (id),
  agent_id uuid references office.agents (id),
  verdict text not null check (verdict in ('approved', 'rejected')),
  comment_id uuid references office.comments (id),
  attempt_id uuid,
  created_at timestamptz not null default office.now(),
  check (num_nonnulls(account_id, agent_id) = 1)
);
create unique index task_reviews_account on office.task_reviews (task_id, round, account_id) where account_id is not null;
create unique index task_reviews_agent on office.task_reviews (task_id, round, agent_id) where agent_id is not null;
comment on table office.task_reviews is 'Verdicts on tasks in review, one a round and reviewer; earlier rounds'' count no longer (T9).';
comment on column office.task_reviews.id is 'Identity, time-ordered.';
comment on column office.task_reviews.workspace_id is 'Workspace of the task.';
comment on column office.task_reviews.task_id is 'The task.';
comment on column office.task_reviews.round is 'The round of its review.';
comment on column office.task_reviews.account_id is 'The person whose verdict it is.';
comment on column office.task_reviews.agent_id is 'The agent whose verdict it is.';
comment on column office.task_reviews.verdict is 'approved or rejected.';
comment on column office.task_reviews.comment_id is 'What was said with it, as a comment.';
comment on column office.task_reviews.attempt_id is 'The attempt from inside which it was given.';
comment on column office.task_reviews.created_at is 'When it was given.';

alter table office.decisions
  add column round integer check (round > 0),
  -- squawk-ignore ban-drop-not-null
  alter column agent_id drop not null,
  -- squawk-ignore constraint-missing-not-valid
  add check (agent_id is not null or kind = 'approval');
comment on column office.decisions.agent_id
is 'The agent that asked, or whose run was interrupted; null: a review of a task that no agent has.';
comment on column office.decisions.round is 'The round of the review that it decides: the office asks, not an agent (T9).';
-- squawk-ignore require-concurrent-index-creation
create unique index decisions_review on office.decisions (task_id, round) where round is not null;

-- squawk-ignore ban-drop-constraint
alter table office_internal.signals drop constraint signals_kind_check;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.signals
add constraint signals_kind_check check (kind in ('wakeup', 'look', 'agent', 'setting', 'freed', 'resource', 'routine',
  'task_assigned', 'task_unassigned', 'task_started', 'task_closed', 'task_holds',
  'task_in_review', 'task_returned', 'task_reviewed', 'task_reopened', 'task_staged', 'comment')) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.signals validate constraint signals_kind_check;
comment on column office_internal.signals.kind
is 'What changed: a wakeup came; look again; an agent, a setting; a task assigned, taken away, started, closed, held or freed, in review,
sent back, judged, open again, in another stage; a comment; a key that was freed here, or anywhere.';

-- squawk-ignore ban-drop-constraint
alter table office_internal.changes drop constraint changes_kind_check;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.changes
add constraint changes_kind_check check (kind in ('move_task', 'pause_agent', 'action', 'review_task')) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.changes validate constraint changes_kind_check;
alter table office_internal.changes add column round integer;
comment on column office_internal.changes.round is 'The round of the review that a verdict is for.';

-- It has one argument more now.
-- squawk-ignore ban-drop-function
drop function if exists office.complete_task(text, text);

create table office.channels (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  name text not null check (length(name) between 1 and 200),
  task_id uuid not null references office.tasks (id),
  created_by_account_id uuid references office.accounts (id),
  created_at timestamptz not null default office.now()
);
create unique index channels_name on office.channels (workspace_id, lower(name));
create index channels_task on office.channels (task_id);
comment on table office.channels is 'Outside conversations, each bound to one task of the office workflow (T7).';
comment on column office.channels.id is 'Identity, time-ordered.';
comment on column office.channels.workspace_id is 'Its workspace.';
comment on column office.channels.name is 'Name, 1 to 200 characters, unique in its workspace.';
comment on column office.channels.task_id is 'The task that its messages are comments of.';
comment on column office.channels.created_by_account_id is 'Account that made it.';
comment on column office.channels.created_at is 'When it was made.';

create table office.channel_messages (
  channel_id uuid not null references office.channels (id),
  external_id text not null check (length(external_id) between 1 and 500),
  workspace_id uuid not null references office.workspaces (id),
  comment_id uuid not null references office.comments (id),
  author text not null check (length(author) between 1 and 200),
  received_at timestamptz not null default office.now(),
  primary key (channel_id, external_id)
);
create index channel_messages_comment on office.channel_messages (comment_id);
comment on table office.channel_messages is 'Which outside messages have come, each once (T7).';
comment on column office.channel_messages.channel_id is 'The channel.';
comment on column office.channel_messages.external_id is 'Its id outside, 1 to 500 characters.';
comment on column office.channel_messages.workspace_id is 'Its workspace.';
comment on column office.channel_messages.comment_id is 'The comment that it became.';
comment on column office.channel_messages.author is 'Who wrote it, in the outside''s words, 1 to 200 characters.';
comment on column office.channel_messages.received_at is 'When it came.';

create table office_internal.recovery_slots (
  workspace_id uuid primary key,
  swept_at timestamptz not null
);
comment on table office_internal.recovery_slots is 'When each workspace was last swept for tasks that nobody started (T11).';
comment on column office_internal.recovery_slots.workspace_id is 'The workspace.';
comment on column office_internal.recovery_slots.swept_at is 'The minute.';
-- The sweep looks at what was made lately and stands still.
-- squawk-ignore require-concurrent-index-creation
create index tasks_unstarted on office.tasks (workspace_id, created_at)
  where state = 'todo' and assignee_agent_id is not null and archived_at is null and deleted_at is null;

-- An agent's open tasks, in order; what asked only whether there are any is served as well.
-- squawk-ignore require-concurrent-index-deletion
drop index office.tasks_actionable;
-- squawk-ignore require-concurrent-index-creation
create index tasks_assigned on office.tasks (assignee_agent_id, state, number) where assignee_agent_id is not null;

insert into office.setting_definitions (key, scopes, value_type, default_value, minimum, maximum, choices, meaning) values
  ('recovery_lookback_hours', '{office,workspace}', 'integer', '24', 1, 720, null,
    'tasks made within so many hours that nobody started are woken for again (T11); out of range is clamped'),
  ('recovery_limit', '{office,workspace}', 'integer', '50', 1, 1000, null, 'so many tasks at most in one sweep of recovery (T11)');
insert into office.errors (code, status, retryable, meaning) values
  ('blocker_cycle', 409, false, 'The task would wait for itself, along the path in the detail.'),
  ('not_in_review', 409, false, 'The task is not in review.'),
  ('already_reviewed', 409, false, 'This reviewer has given a verdict in this round.'),
  ('request_waits', 409, false, 'The task waits for the answer of the person who was asked.');
