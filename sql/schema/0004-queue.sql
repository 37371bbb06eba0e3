-- Wakeups, runs, attempts and what moves them. The office's tables: they change only under their workspace's gate (A6).
-- They hold ids of people's rows without foreign keys: a key's check would wait for a row that a person's open
-- transaction holds. What dangles is a row of office.audit().

create table office.wakeup_sources (
  source text primary key,
  class text not null check (class in ('event', 'periodic')),
  addresses text not null check (addresses in ('nobody', 'assignee', 'participant', 'whoever')),
  bursty boolean not null default false,
  solo boolean not null default false,
  held_by_blockers boolean not null default false,
  person_caused boolean not null default false,
  meaning text not null
);
comment on table office.wakeup_sources is 'Why an agent can be woken (Q2). An unknown source is refused.';
comment on column office.wakeup_sources.source is 'Name of the source.';
comment on column office.wakeup_sources.class is 'event or periodic; a routine''s is periodic only when fired by cron without a task.';
comment on column office.wakeup_sources.addresses
is 'Whom it means in its task: the assignee, a participant by role, whoever is woken, nobody.';
comment on column office.wakeup_sources.bursty is 'Its run gathers a coalescing window before it can be claimed (Q6).';
comment on column office.wakeup_sources.solo is 'Its runs neither merge nor are merged into (Q4).';
comment on column office.wakeup_sources.held_by_blockers is 'A run of only such wakeups waits for its task''s blockers and snooze (Q12).';
comment on column office.wakeup_sources.person_caused is 'A person stands behind it: it brings a parked run forward (Q21).';
comment on column office.wakeup_sources.meaning is 'What happened.';
insert into office.wakeup_sources (source, class, addresses, bursty, solo, held_by_blockers, person_caused, meaning) values
  ('routine', 'event', 'assignee', false, false, false, false, 'a routine fired'),
  ('comment', 'event', 'whoever', false, false, false, true, 'somebody commented on a task'),
  ('agent_error', 'event', 'nobody', false, false, false, false, 'an agent gave up'),
  ('self', 'event', 'whoever', false, false, false, false, 'the agent asked to be woken'),
  ('user', 'event', 'whoever', false, false, false, true, 'a person asked for it'),
  ('task_assigned', 'event', 'assignee', false, false, true, false, 'a task is the agent''s now'),
  ('task_blockers_resolved', 'event', 'assignee', true, false, false, false, 'what a task waited for has ended'),
  ('task_children_completed', 'event', 'assignee', true, false, false, false, 'all parts of a task have ended'),
  ('approval_resolved', 'event', 'whoever', false, false, false, true, 'a person decided what the agent asked'),
  ('budget_alert', 'event', 'nobody', false, false, false, false, 'a budget is nearly spent'),
  ('review_requested', 'event', 'participant', false, false, false, false, 'a task waits for the agent''s review'),
  ('changes_requested', 'event', 'assignee', false, false, false, false, 'reviewers want changes'),
  ('ready_to_close', 'event', 'assignee', false, false, false, false, 'all have approved'),
  ('reopened', 'event', 'assignee', false, false, false, false, 'a closed task is open again'),
  ('queue_run', 'event', 'whoever', false, false, true, false, 'a stage queues a run'),
  ('message', 'event', 'nobody', false, true, false, true, 'a message into an agent session');

create table office.wakeup_fields (
  source text not null references office.wakeup_sources (source),
  field text not null,
  type text not null check (type in
    ('task', 'agent', 'account', 'run', 'uuid', 'uuids', 'text', 'number', 'boolean', 'time', 'object', 'json')),
  required boolean not null default false,
  choices text[],
  primary key (source, field)
);
comment on table office.wakeup_fields is 'What a wakeup''s payload may and must hold (Q2). Anything else is refused, by name.';
comment on column office.wakeup_fields.source is 'The source.';
comment on column office.wakeup_fields.field is 'Name of the field.';
comment on column office.wakeup_fields.type is 'task, agent, account, run: a reference, stored as uuid; else its JSON type.';
comment on column office.wakeup_fields.required is 'Refused without it.';
comment on column office.wakeup_fields.choices is 'Allowed texts; null: any.';
insert into office.wakeup_fields (source, field, type, required, choices) values
  ('routine', 'routine_id', 'uuid', true, null), ('routine', 'trigger_id', 'uuid', false, null),
  ('routine', 'fire', 'text', false, '{cron,webhook,manual}'), ('routine', 'variables', 'object', false, null),
  ('routine', 'missed_ticks', 'number', false, null), ('routine', 'missed_since', 'time', false, null),
  ('routine', 'task_id', 'task', false, null),
  ('comment', 'task_id', 'task', true, null), ('comment', 'comment_id', 'uuid', true, null),
  ('agent_error', 'failed_agent_id', 'agent', true, null), ('agent_error', 'error', 'text', true, null),
  ('agent_error', 'failed_session_id', 'text', false, null), ('agent_error', 'run_id', 'run', false, null),
  ('self', 'reason', 'text', true, null), ('self', 'payload', 'json', false, null), ('self', 'task_id', 'task', false, null),
  ('user', 'user_id', 'account', true, null), ('user', 'context', 'json', false, null), ('user', 'task_id', 'task', false, null),
  ('task_assigned', 'task_id', 'task', true, null),
  ('task_blockers_resolved', 'task_id', 'task', true, null),
  ('task_blockers_resolved', 'resolved_blocker_ids', 'uuids', true, null),
  ('task_blockers_resolved', 'cancelled_blocker_ids', 'uuids', false, null),
  ('task_children_completed', 'task_id', 'task', true, null),
  ('approval_resolved', 'approval_id', 'uuid', true, null),
  ('approval_resolved', 'status', 'text', true, '{approved,rejected,expired}'),
  ('approval_resolved', 'decision_note', 'text', false, null), ('approval_resolved', 'task_id', 'task', false, null),
  ('budget_alert', 'agent_instance_id', 'agent', true, null), ('budget_alert', 'budget_pct', 'number', true, null),
  ('budget_alert', 'policy_id', 'uuid', false, null), ('budget_alert', 'scope', 'text', false, null),
  ('review_requested', 'task_id', 'task', true, null),
  ('review_requested', 'role', 'text', true, '{reviewer,approver}'), ('review_requested', 'round', 'number', true, null),
  ('changes_requested', 'task_id', 'task', true, null), ('changes_requested', 'round', 'number', true, null),
  ('changes_requested', 'comment_ids', 'uuids', true, null),
  ('ready_to_close', 'task_id', 'task', true, null), ('reopened', 'task_id', 'task', true, null),
  ('queue_run', 'task_id', 'task', true, null), ('queue_run', 'stage_id', 'uuid', true, null),
  ('queue_run', 'context', 'json', false, null),
  ('message', 'session_id', 'uuid', true, null), ('message', 'text', 'text', true, null),
  ('message', 'steer', 'boolean', false, null);

create table office.wakeup_states (
  status text primary key,
  ended boolean not null,
  meaning text not null
);
comment on table office.wakeup_states is 'The statuses of a wakeup (Q10).';
comment on column office.wakeup_states.status is 'Name of the status.';
comment on column office.wakeup_states.ended is 'Nothing more comes of it, unless its run is retried.';
comment on column office.wakeup_states.meaning is 'What it means.';
insert into office.wakeup_states (status, ended, meaning) values
  ('queued', false, 'waits for the dispatch'),
  ('claimed', false, 'it made its run'),
  ('coalesced', true, 'it joined a run: the outcome is that run''s'),
  ('finished', true, 'its run finished'),
  ('skipped', true, 'nothing was launched for it'),
  ('failed', true, 'its run failed or is blocked'),
  ('cancelled', true, 'its run was cancelled, or it was');

create table office.wakeup_moves (
  from_status text not null references office.wakeup_states (status),
  to_status text not null references office.wakeup_states (status),
  primary key (from_status, to_status)
);
comment on table office.wakeup_moves is 'The moves that a wakeup may make; a trigger refuses every other (Q10).';
comment on column office.wakeup_moves.from_status is 'Status it leaves.';
comment on column office.wakeup_moves.to_status is 'Status it reaches.';
insert into office.wakeup_moves (from_status, to_status) values
  ('queued', 'claimed'), ('queued', 'coalesced'),
  ('claimed', 'coalesced'), ('claimed', 'finished'), ('claimed', 'skipped'), ('claimed', 'failed'), ('claimed', 'cancelled'),
  ('coalesced', 'claimed'), ('coalesced', 'cancelled'),
  ('failed', 'claimed');

create table office.run_states (
  status text primary key,
  live boolean not null,
  ended boolean not null,
  meaning text not null
);
comment on table office.run_states is 'The statuses of a run (Q9).';
comment on column office.run_states.status is 'Name of the status.';
comment on column office.run_states.live is 'It holds a slot and its agent''s capacity.';
comment on column office.run_states.ended is 'It changes no more, except by retry.';
comment on column office.run_states.meaning is 'What it means.';
insert into office.run_states (status, live, ended, meaning) values
  ('queued', false, false, 'waits to be claimed'),
  ('claimed', true, false, 'a worker has it; its program has not started'),
  ('running', true, false, 'its program runs'),
  ('waiting', true, false, 'waits for a person''s decision'),
  ('stopping', true, false, 'was asked to stop'),
  ('finished', false, true, 'ended; outcome says how'),
  ('failed', false, true, 'gave up'),
  ('cancelled', false, true, 'was not wanted any more; cancel_reason says why'),
  ('interrupted', false, true, 'its worker died; a person decides'),
  ('blocked', false, true, 'only a person can help');

create table office.run_moves (
  from_status text not null references office.run_states (status),
  to_status text not null references office.run_states (status),
  meaning text not null,
  primary key (from_status, to_status)
);
comment on table office.run_moves is 'The moves that a run may make; a trigger refuses every other, whoever makes it (Q9).';
comment on column office.run_moves.from_status is 'Status it leaves.';
comment on column office.run_moves.to_status is 'Status it reaches.';
comment on column office.run_moves.meaning is 'What makes this move.';
insert into office.run_moves (from_status, to_status, meaning) values
  ('queued', 'claimed', 'claim'),
  ('queued', 'finished', 'settled by a guard of the claim'),
  ('queued', 'cancelled', 'stale, merged or stopped'),
  ('queued', 'blocked', 'cannot be launched as it is configured'),
  ('queued', 'failed', 'its prompt could not be built, too often'),
  ('claimed', 'running', 'start'),
  ('claimed', 'queued', 'lease lost or failure before the start'),
  ('claimed', 'stopping', 'stop'),
  ('claimed', 'finished', 'end'), ('claimed', 'failed', 'gave up'), ('claimed', 'cancelled', 'stop'),
  ('claimed', 'blocked', 'configuration fault'), ('claimed', 'interrupted', 'its worker died'),
  ('running', 'waiting', 'ask'),
  ('running', 'stopping', 'stop'),
  ('running', 'queued', 'failure with a retry'),
  ('running', 'finished', 'end'), ('running', 'failed', 'gave up'), ('running', 'cancelled', 'stop'),
  ('running', 'blocked', 'a limit or a fault that only a person lifts'), ('running', 'interrupted', 'its worker died'),
  ('waiting', 'running', 'answered while its program lives'),
  ('waiting', 'queued', 'answered'),
  ('waiting', 'stopping', 'stop'), ('waiting', 'cancelled', 'stop'), ('waiting', 'finished', 'end'),
  ('waiting', 'failed', 'gave up'), ('waiting', 'blocked', 'a limit'), ('waiting', 'interrupted', 'its worker died'),
  ('stopping', 'cancelled', 'stopped'), ('stopping', 'queued', 'a pause has stopped it'),
  ('interrupted', 'queued', 'retry'), ('interrupted', 'cancelled', 'dropped'), ('interrupted', 'running', 'its device took it back'),
  ('failed', 'queued', 'retry'),
  ('blocked', 'queued', 'retry');

create table office.workers (
  id uuid primary key default office.uuid7(),
  host text not null,
  pid integer,
  version text,
  only_workspace_id uuid,
  max_runs integer not null default 1 check (max_runs between 1 and 1000),
  db_login text not null default session_user,
  registered_at timestamptz not null,
  beat_at timestamptz not null,
  lease_until timestamptz not null,
  draining boolean not null default false,
  ended_at timestamptz,
  end_reason text
) with (fillfactor = 50);
create index workers_lease on office.workers (lease_until) where ended_at is null;
comment on table office.workers is 'Processes that launch runs; one row a process start, never a host (Q22).';
comment on column office.workers.id is 'Identity, fresh per process start.';
comment on column office.workers.host is 'Name of the host, for people.';
comment on column office.workers.pid is 'Process id there, for people.';
comment on column office.workers.version is 'Version of officectl that it runs.';
comment on column office.workers.only_workspace_id is 'The one workspace it claims for; null: all.';
comment on column office.workers.max_runs is 'Most runs it carries at once.';
comment on column office.workers.db_login is 'Login by which it was registered.';
comment on column office.workers.registered_at is 'When it registered.';
comment on column office.workers.beat_at is 'Its last heartbeat.';
comment on column office.workers.lease_until is 'Its runs are settled when this has passed.';
comment on column office.workers.draining is 'It shuts down and claims nothing more.';
comment on column office.workers.ended_at is 'When it ended; null: it lives.';
comment on column office.workers.end_reason is 'drained, lease_lost or expired.';

create table office.runs (
  id uuid primary key default office.uuid7(),
  number bigint generated always as identity,
  workspace_id uuid not null,
  agent_id uuid not null,
  task_id uuid,
  routine_id uuid,
  scope_id uuid generated always as (coalesce(task_id, routine_id, '00000000-0000-0000-0000-000000000000')) stored,
  executor_id uuid,
  reason text not null references office.wakeup_sources (source),
  class text not null check (class in ('event', 'periodic')),
  solo boolean not null default false,
  status text not null default 'queued' references office.run_states (status),
  outcome text check (outcome in ('succeeded', 'idle_skipped', 'agent_stopped', 'budget_blocked', 'checkout_lost')),
  cancel_reason text check (cancel_reason in ('task_not_found', 'assignee_changed', 'task_terminal',
    'review_participant_changed', 'retry_stale_assignee', 'retry_task_cancelled', 'stopped', 'dropped', 'merged')),
  result text generated always as (coalesce(outcome, cancel_reason, status)) stored,
  stop_reason text check (stop_reason in ('stopped', 'task_cancelled', 'assignee_changed', 'paused')),
  parked text check (parked in ('window', 'retry', 'blocker', 'snooze', 'checkout', 'claim_error')),
  due_at timestamptz,
  answered_at timestamptz,
  depth integer not null default 0,
  coalesced_count integer not null default 1,
  retry_count integer not null default 0,
  scheduled_retry_at timestamptz,
  idempotency_key text collate "C",
  attempt_id uuid,
  worker_id uuid references office.workers (id),
  requested_at timestamptz not null,
  claimed_at timestamptz,
  ended_at timestamptz,
  check ((outcome is not null) = (status = 'finished')),
  check ((cancel_reason is not null) = (status = 'cancelled')),
  check (parked is null or status = 'queued'),
  check (due_at is null or parked is not null)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
create unique index runs_number on office.runs (number);
create unique index runs_key on office.runs (workspace_id, idempotency_key) where idempotency_key is not null;
-- What a lane's head is read from; parked runs are not in it.
create index runs_lane on office.runs (agent_id, requested_at, id)
  where status = 'queued' and parked is null and answered_at is null;
create index runs_answered on office.runs (workspace_id, requested_at, id) where status = 'queued' and answered_at is not null;
create unique index runs_open on office.runs (agent_id, scope_id) where status = 'queued' and not solo and answered_at is null;
create index runs_active on office.runs (workspace_id, agent_id)
  where status in ('claimed', 'running', 'waiting', 'stopping') or (status = 'queued' and answered_at is not null);
create index runs_live_scope on office.runs (agent_id, scope_id) where status in ('claimed', 'running', 'waiting');
create index runs_due on office.runs (workspace_id, due_at) where status = 'queued' and due_at is not null;
create index runs_worker on office.runs (worker_id) where status in ('claimed', 'running', 'waiting', 'stopping');
create index runs_task on office.runs (task_id, requested_at) where task_id is not null;
create index runs_agent_queued on office.runs (agent_id) where status = 'queued';
comment on table office.runs is 'Runs: the durable execution record that one or more wakeups end up in.';
comment on column office.runs.id is 'Identity, time-ordered.';
comment on column office.runs.number is 'Number for people: r4812.';
comment on column office.runs.workspace_id is 'Its workspace.';
comment on column office.runs.agent_id is 'The agent that runs.';
comment on column office.runs.task_id is 'The task it is about; null: taskless.';
comment on column office.runs.routine_id is 'The routine it is of, when taskless.';
comment on column office.runs.scope_id is 'Task, else routine, else zeros: what may merge with it (Q4).';
comment on column office.runs.executor_id is 'What it launches, frozen when it was made.';
comment on column office.runs.reason is 'Source of the wakeup that it runs for.';
comment on column office.runs.class is 'event or periodic; promoted to event, never back.';
comment on column office.runs.solo is 'It neither merges nor is merged into.';
comment on column office.runs.status is 'Its status; moves are rows of run_moves.';
comment on column office.runs.outcome is 'How it finished.';
comment on column office.runs.cancel_reason is 'Why it was cancelled.';
comment on column office.runs.result is 'Outcome, cancel reason or status: one word for views.';
comment on column office.runs.stop_reason is 'Why it was asked to stop: paused ends in queued, the others in cancelled.';
comment on column office.runs.parked is 'Why it is out of its lane; null: it is not.';
comment on column office.runs.due_at is 'When a parked run comes back by time; null: only by its event.';
comment on column office.runs.answered_at is 'It goes on after an answer, on the slot that it holds.';
comment on column office.runs.depth is 'How many runs caused each other up to this one.';
comment on column office.runs.coalesced_count is 'How many wakeups it carries.';
comment on column office.runs.retry_count is 'Failures so far.';
comment on column office.runs.scheduled_retry_at is 'When the retry is due.';
comment on column office.runs.idempotency_key is 'Key of the wakeup that made it.';
comment on column office.runs.attempt_id is 'Its live attempt, else its last.';
comment on column office.runs.worker_id is 'Worker of that attempt.';
comment on column office.runs.requested_at is 'When it was asked for; kept through retries.';
comment on column office.runs.claimed_at is 'When its live attempt was claimed.';
comment on column office.runs.ended_at is 'When it ended.';

create table office.wakeups (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null,
  agent_id uuid not null,
  source text not null references office.wakeup_sources (source),
  class text not null check (class in ('event', 'periodic')),
  solo boolean not null default false,
  addresses text not null check (addresses in ('nobody', 'assignee', 'reviewer', 'approver', 'mentioned')),
  task_id uuid,
  routine_id uuid,
  payload jsonb not null check (jsonb_typeof(payload) = 'object'),
  idempotency_key text collate "C" check (length(idempotency_key) between 1 and 500),
  depth integer not null default 0,
  account_id uuid,
  attempt_id uuid,
  status text not null default 'queued' references office.wakeup_states (status),
  run_id uuid references office.runs (id),
  position integer,
  reason text,
  requested_at timestamptz not null
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
create unique index wakeups_key on office.wakeups (workspace_id, idempotency_key) where idempotency_key is not null;
create index wakeups_run on office.wakeups (run_id, position) where run_id is not null;
create index wakeups_queued on office.wakeups (workspace_id) where status = 'queued';
comment on table office.wakeups is 'Requests to wake an agent.';
comment on column office.wakeups.id is 'Identity, time-ordered.';
comment on column office.wakeups.workspace_id is 'Its workspace.';
comment on column office.wakeups.agent_id is 'Whom it wakes.';
comment on column office.wakeups.source is 'Why; a row of wakeup_sources.';
comment on column office.wakeups.class is 'event or periodic.';
comment on column office.wakeups.solo is 'It gets a run of its own.';
comment on column office.wakeups.addresses is 'Whom it means in its task.';
comment on column office.wakeups.task_id is 'The task it is about.';
comment on column office.wakeups.routine_id is 'The routine it is of.';
comment on column office.wakeups.payload is 'What came with it; fields are rows of wakeup_fields.';
comment on column office.wakeups.idempotency_key is 'Unique in the workspace for as long as the row lives (Q3).';
comment on column office.wakeups.depth is 'How many runs caused each other up to it.';
comment on column office.wakeups.account_id is 'Who asked.';
comment on column office.wakeups.attempt_id is 'The attempt from inside which it was asked.';
comment on column office.wakeups.status is 'Its status; moves are rows of wakeup_moves.';
comment on column office.wakeups.run_id is 'The run that carries it.';
comment on column office.wakeups.position is 'Its place among that run''s wakeups, in order of arrival.';
comment on column office.wakeups.reason is 'Why it was skipped or cancelled.';
comment on column office.wakeups.requested_at is 'When it was asked for.';

create table office.attempts (
  id uuid primary key default office.uuid7(),
  run_id uuid not null references office.runs (id),
  workspace_id uuid not null,
  number integer not null,
  worker_id uuid not null references office.workers (id),
  token_hash bytea,
  shown_wakeups integer not null default 0,
  prompt_built_at timestamptz,
  pid integer,
  engine_session text,
  claimed_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  outcome text check (outcome in ('succeeded', 'failed', 'stopped', 'interrupted', 'released', 'blocked', 'cancelled')),
  result jsonb,
  error text,
  exit_code integer,
  cleaned_at timestamptz,
  killed integer,
  unique (run_id, number),
  check ((ended_at is null) = (outcome is null))
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
create index attempts_worker_uncleaned on office.attempts (worker_id) where cleaned_at is null;
comment on table office.attempts is 'One launch of a run, and its evidence.';
comment on column office.attempts.id is 'Identity, time-ordered; what a worker names in every call.';
comment on column office.attempts.run_id is 'The run.';
comment on column office.attempts.workspace_id is 'Its workspace.';
comment on column office.attempts.number is 'Which launch of the run, from 1.';
comment on column office.attempts.worker_id is 'The worker that launched it.';
comment on column office.attempts.token_hash is 'sha256 of the agent''s token; good while the attempt lives.';
comment on column office.attempts.shown_wakeups is 'Wakeups up to this position are in its prompt (Q5).';
comment on column office.attempts.prompt_built_at is 'When its prompt was built.';
comment on column office.attempts.pid is 'Process id of the program, for people.';
comment on column office.attempts.engine_session is 'The engine''s own session id.';
comment on column office.attempts.claimed_at is 'When it was claimed.';
comment on column office.attempts.started_at is 'When its program started.';
comment on column office.attempts.ended_at is 'When it ended; null: it lives.';
comment on column office.attempts.outcome is 'How it ended; released: given back unstarted.';
comment on column office.attempts.result is 'What the program answered.';
comment on column office.attempts.error is 'What went wrong.';
comment on column office.attempts.exit_code is 'Exit code of the program.';
comment on column office.attempts.cleaned_at is 'When its launcher confirmed that nothing it started is left (K15).';
comment on column office.attempts.killed is 'How many processes had to be killed for that.';

create table office.attempt_prompts (
  attempt_id uuid primary key references office.attempts (id),
  workspace_id uuid not null,
  assembled_prompt text not null,
  summary_injected text
);
comment on table office.attempt_prompts is 'What each attempt was told, as it was told (C1).';
comment on column office.attempt_prompts.attempt_id is 'The attempt.';
comment on column office.attempt_prompts.workspace_id is 'Its workspace.';
comment on column office.attempt_prompts.assembled_prompt is 'The whole prompt.';
comment on column office.attempt_prompts.summary_injected is 'The continuation summary''s slice in it.';

create table office.attempt_steps (
  attempt_id uuid not null references office.attempts (id),
  sequence integer not null,
  workspace_id uuid not null,
  kind text not null check (kind in
    ('message', 'reasoning', 'tool_call', 'tool_result', 'usage', 'output', 'error', 'note')),
  at timestamptz not null,
  content text not null,
  primary key (attempt_id, sequence)
);
comment on table office.attempt_steps is 'What the program reported, in order (E1).';
comment on column office.attempt_steps.attempt_id is 'The attempt.';
comment on column office.attempt_steps.sequence is 'Order; a repeated one is ignored.';
comment on column office.attempt_steps.workspace_id is 'Its workspace.';
comment on column office.attempt_steps.kind is 'message, reasoning, tool_call, tool_result, usage, output, error or note.';
comment on column office.attempt_steps.at is 'When.';
comment on column office.attempt_steps.content is 'Text, at most 64 KB.';

create table office.checkouts (
  task_id uuid primary key,
  workspace_id uuid not null,
  checkout_run_id uuid not null references office.runs (id),
  checkout_agent_id uuid not null,
  checkout_at timestamptz not null
) with (fillfactor = 70);
create index checkouts_run on office.checkouts (checkout_run_id);
comment on table office.checkouts is 'Which run has which task to itself (T10).';
comment on column office.checkouts.task_id is 'The task.';
comment on column office.checkouts.workspace_id is 'Its workspace.';
comment on column office.checkouts.checkout_run_id is 'The run that holds it.';
comment on column office.checkouts.checkout_agent_id is 'That run''s agent.';
comment on column office.checkouts.checkout_at is 'Since when.';

create table office_internal.gates (
  workspace_id uuid primary key,
  slots integer not null default 3,
  excess integer not null default 0,
  paused boolean not null default false,
  paused_with_all boolean not null default false,
  pause_reason text,
  due_at timestamptz
) with (fillfactor = 50);
-- Probed by every claim: whether everything is paused.
create index gates_paused_with_all on office_internal.gates (workspace_id) where paused_with_all;
create index gates_due on office_internal.gates (due_at) where due_at is not null;
comment on table office_internal.gates
is 'One row a workspace: who holds its lock may change the workspace''s office tables (A6). No foreign key points here.';
comment on column office_internal.gates.workspace_id is 'The workspace.';
comment on column office_internal.gates.slots is 'Most runs at once: setting max_concurrent_runs, as the dispatch last read it.';
comment on column office_internal.gates.excess is 'How many of its active runs were claimed under more slots than today.';
comment on column office_internal.gates.paused is 'Nothing is claimed: the workspace is paused.';
comment on column office_internal.gates.paused_with_all is 'Everything is paused: one such row, and nothing is claimed anywhere.';
comment on column office_internal.gates.pause_reason is 'Why.';
comment on column office_internal.gates.due_at is 'When a lane''s cooldown or a parked run''s time next comes.';

create table office_internal.lanes (
  agent_id uuid primary key,
  workspace_id uuid not null,
  open boolean not null default true,
  capacity integer not null,
  cooldown_sec integer not null,
  active integer not null default 0,
  excess integer not null default 0,
  head_at timestamptz,
  head_run_id uuid,
  cooling_until timestamptz,
  last_wakeup_finished_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
-- Ready: a claimable run, room, not cooling, not paused. The claim walks this and nothing else (Q14).
create index lanes_ready on office_internal.lanes (workspace_id, head_at, head_run_id)
  where head_at is not null and cooling_until is null and open and active < capacity;
create index lanes_cooling on office_internal.lanes (workspace_id, cooling_until) where cooling_until is not null;
comment on table office_internal.lanes is 'One narrow row an agent, what the claim picks from (A15).';
comment on column office_internal.lanes.agent_id is 'The agent.';
comment on column office_internal.lanes.workspace_id is 'Its workspace.';
comment on column office_internal.lanes.open is 'The agent is active, as the dispatch last read it.';
comment on column office_internal.lanes.capacity is 'Its max_concurrent_sessions, as the dispatch last read it.';
comment on column office_internal.lanes.cooldown_sec is 'Its cooldown_sec, as the dispatch last read it.';
comment on column office_internal.lanes.active is 'Its active runs.';
comment on column office_internal.lanes.excess is 'How many of those were claimed under a larger capacity than today''s.';
comment on column office_internal.lanes.head_at is 'requested_at of its first claimable run; null: none.';
comment on column office_internal.lanes.head_run_id is 'That run.';
comment on column office_internal.lanes.cooling_until is 'It cools down until then; null: it does not.';
comment on column office_internal.lanes.last_wakeup_finished_at is 'When an attempt of it last ended.';

create table office_internal.signals (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  workspace_id uuid not null,
  kind text not null check (kind in ('wakeup', 'look', 'agent', 'setting',
    'task_assigned', 'task_unassigned', 'task_started', 'task_closed', 'task_holds')),
  wakeup_id uuid,
  agent_id uuid,
  task_id uuid,
  event_id uuid,
  account_id uuid,
  attempt_id uuid,
  depth integer not null default 0
);
create index signals_xid on office_internal.signals (xid);
create index signals_workspace on office_internal.signals (workspace_id, xid);
comment on table office_internal.signals
is 'That something changed, never what is so: the dispatch looks (A6). Inserted and deleted, never updated.';
comment on column office_internal.signals.id is 'Order.';
comment on column office_internal.signals.xid is 'Transaction that left it; the claim reads from a low-water mark on.';
comment on column office_internal.signals.workspace_id is 'The workspace concerned.';
comment on column office_internal.signals.kind
is 'What changed: a wakeup came; look again; an agent, a setting; a task assigned, taken away, started, closed, held or freed.';
comment on column office_internal.signals.wakeup_id is 'The wakeup.';
comment on column office_internal.signals.agent_id is 'The agent.';
comment on column office_internal.signals.task_id is 'The task.';
comment on column office_internal.signals.event_id is 'Id of the move, event or assignment.';
comment on column office_internal.signals.account_id is 'Who did it.';
comment on column office_internal.signals.attempt_id is 'The attempt that did it.';
comment on column office_internal.signals.depth is 'Depth of the cause.';

-- The claim reads signals from here on. Set without a transaction, so it leaves no dead rows; going back is harmless.
create sequence office_internal.signal_mark as bigint minvalue 0 start 0;
comment on sequence office_internal.signal_mark is 'Low-water mark of the signals'' transactions (A15).';

create table office_internal.changes (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  kind text not null check (kind in ('move_task')),
  task_id uuid,
  from_state text,
  to_state text,
  account_id uuid,
  attempt_id uuid,
  agent_id uuid,
  created_at timestamptz not null default office.now()
);
comment on table office_internal.changes
is 'What the office wants changed in people''s tables; office.carry_out does it without a gate (A6).';
comment on column office_internal.changes.id is 'Order.';
comment on column office_internal.changes.workspace_id is 'The workspace concerned.';
comment on column office_internal.changes.kind is 'What to do.';
comment on column office_internal.changes.task_id is 'The task.';
comment on column office_internal.changes.from_state is 'State it must be in; else the change is dropped.';
comment on column office_internal.changes.to_state is 'State it is to reach.';
comment on column office_internal.changes.account_id is 'As whom.';
comment on column office_internal.changes.attempt_id is 'The attempt that caused it.';
comment on column office_internal.changes.agent_id is 'The agent that caused it.';
comment on column office_internal.changes.created_at is 'When it was left.';

create table office_internal.sweeps (
  name text primary key,
  passed_at timestamptz not null
);
comment on table office_internal.sweeps is 'When each sweep last passed: a long silence means sleep or fail-over, not dead workers (Q22).';
comment on column office_internal.sweeps.name is 'Name of the sweep.';
comment on column office_internal.sweeps.passed_at is 'Its last pass.';
