-- Routines, what fires them, and what became of each fire (R1, R8, R12).
-- office.routines and office.routine_triggers are people's tables. office.routine_runs is the office's once a row is there: it changes
-- under the gate only, and holds ids of people's rows without foreign keys (A6).

insert into office.errors (code, status, retryable, meaning) values
  ('routine_inactive', 409, false, 'The routine is paused or archived: it does not fire.'),
  ('trigger_disabled', 409, false, 'The trigger is disabled.'),
  ('bad_variables', 422, false, 'A variable is missing or has a value that it cannot have; which one is in the detail.'),
  ('bad_signature', 401, false, 'The signature or bearer token is not the trigger''s.'),
  ('bad_body', 400, false, 'The body is not a JSON object.'),
  ('body_too_large', 413, false, 'The body is larger than 256 KiB.'),
  ('too_many_attempts', 429, true, 'Too many bad signatures for this trigger in the last minute.');

create type office.routine_reference as (routine_id uuid, routine text, status text, workspace text);
comment on type office.routine_reference is 'A routine as it is after the call.';
comment on column office.routine_reference.routine_id is 'Its id.';
comment on column office.routine_reference.routine is 'Its name.';
comment on column office.routine_reference.status is 'Its status.';
comment on column office.routine_reference.workspace is 'Its workspace.';

create type office.trigger_reference as (
  trigger_id uuid, routine text, kind text, enabled boolean, next_run_at timestamptz, public_id text, secret text
);
comment on type office.trigger_reference is 'A trigger as it is after the call.';
comment on column office.trigger_reference.trigger_id is 'Its id.';
comment on column office.trigger_reference.routine is 'The routine that it fires.';
comment on column office.trigger_reference.kind is 'Its kind.';
comment on column office.trigger_reference.enabled is 'Whether it fires.';
comment on column office.trigger_reference.next_run_at is 'When it fires next.';
comment on column office.trigger_reference.public_id is 'The part of a webhook''s address that names it.';
comment on column office.trigger_reference.secret is 'A new secret: shown this once, and never again.';

create table office.routines (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  name text not null check (name ~ '^[^[:space:]/:[:cntrl:]]([^/:[:cntrl:]]{0,98}[^[:space:]/:[:cntrl:]])?$'),
  description text not null default '' check (length(description) <= 65536),
  assignee_agent_id uuid not null references office.agents (id),
  status text not null default 'active' check (status in ('active', 'paused', 'archived')),
  status_reason text,
  concurrency_policy text not null default 'coalesce_if_active'
    check (concurrency_policy in ('coalesce_if_active', 'skip_if_active', 'always_enqueue')),
  catch_up_policy text not null default 'enqueue_missed_with_cap'
    check (catch_up_policy in ('enqueue_missed_with_cap', 'skip_missed')),
  catch_up_max integer not null default 25 check (catch_up_max between 1 and 1000),
  task_template jsonb not null default '{}',
  variables jsonb not null default '{}',
  last_run_at timestamptz,
  created_by_account_id uuid references office.accounts (id),
  created_at timestamptz not null default office.now(),
  deleted_at timestamptz
) with (fillfactor = 80);
create unique index routines_name on office.routines (workspace_id, lower(name)) where deleted_at is null;
create index routines_assignee on office.routines (assignee_agent_id);
comment on table office.routines is 'What people want done again and again (R1).';
comment on column office.routines.id is 'Identity, time-ordered.';
comment on column office.routines.workspace_id is 'Its workspace.';
comment on column office.routines.name
is 'Name, unique in the workspace; at most 100 characters, no slash, no colon, no space at its ends.';
comment on column office.routines.description is 'What the agent is told when it fires without a task; at most 65536 characters.';
comment on column office.routines.assignee_agent_id is 'The agent that it wakes.';
comment on column office.routines.status is 'active, paused or archived; archived is final.';
comment on column office.routines.status_reason is 'Why it is not active.';
comment on column office.routines.concurrency_policy
is 'coalesce_if_active, skip_if_active or always_enqueue: what a fire does while the one before is not over (R14).';
comment on column office.routines.catch_up_policy
is 'enqueue_missed_with_cap or skip_missed: what becomes of slots that were missed (R10).';
comment on column office.routines.catch_up_max is 'Most missed slots that still fire, 1 to 1000.';
comment on column office.routines.task_template
is 'The task that each fire makes: title, description, project, priority, requires_approval; empty: it wakes without a task.';
comment on column office.routines.variables
is 'Declared variables: {"name": {"type": …, "default": …, "required": …, "options": […]}} (R16).';
comment on column office.routines.last_run_at is 'When it last fired; never goes back.';
comment on column office.routines.created_by_account_id is 'Who made it.';
comment on column office.routines.created_at is 'When it was made.';
comment on column office.routines.deleted_at is 'When it was deleted; null: it lives.';

create table office.routine_triggers (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  routine_id uuid not null references office.routines (id),
  kind text not null check (kind in ('schedule', 'once', 'webhook', 'manual')),
  expression text check (length(expression) <= 1000),
  timezone text not null default 'UTC',
  cron office_internal.cron,
  fire_at timestamptz,
  next_run_at timestamptz,
  last_fired_at timestamptz,
  passed_over_at timestamptz,
  public_id text,
  signing text check (signing in ('none', 'bearer', 'hmac_sha256')),
  enabled boolean not null default true,
  created_at timestamptz not null default office.now(),
  check ((kind = 'schedule') = (expression is not null)),
  check ((kind = 'schedule') = (cron is not null)),
  check ((kind = 'once') = (fire_at is not null)),
  check ((kind = 'webhook') = (public_id is not null)),
  check ((kind = 'webhook') = (signing is not null)),
  check (next_run_at is null or (enabled and kind in ('schedule', 'once')))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
create index routine_triggers_routine on office.routine_triggers (routine_id);
create index routine_triggers_due on office.routine_triggers (next_run_at, id) where next_run_at is not null;
-- What a tick repairs: there should be none (R9).
create index routine_triggers_dead on office.routine_triggers (id)
  where next_run_at is null and enabled and kind in ('schedule', 'once');
create unique index routine_triggers_public on office.routine_triggers (public_id) where public_id is not null;
comment on table office.routine_triggers is 'What fires a routine: schedules, single instants, webhooks, hands (R8).';
comment on column office.routine_triggers.id is 'Identity, time-ordered.';
comment on column office.routine_triggers.workspace_id is 'Workspace of the routine.';
comment on column office.routine_triggers.routine_id is 'The routine.';
comment on column office.routine_triggers.kind is 'schedule, once, webhook or manual.';
comment on column office.routine_triggers.expression is 'A schedule''s cron expression, five fields (R3); at most 1000 characters.';
comment on column office.routine_triggers.timezone is 'Zone of its wall clock: an IANA name, or UTC (R4).';
comment on column office.routine_triggers.cron is 'The expression as bits, so that a tick does not parse; set by trigger.';
comment on column office.routine_triggers.fire_at is 'When a single one fires.';
comment on column office.routine_triggers.next_run_at is 'The slot that fires next: the cursor of the tick.';
comment on column office.routine_triggers.last_fired_at is 'When it last fired.';
comment on column office.routine_triggers.passed_over_at
is 'The first slot that passed without a fire because the routine was not active; null: none since it last fired.';
comment on column office.routine_triggers.public_id is 'The part of a webhook''s address that names it: 128 random bits.';
comment on column office.routine_triggers.signing is 'none, bearer or hmac_sha256: how a webhook''s caller proves himself.';
comment on column office.routine_triggers.enabled is 'Whether it fires.';
comment on column office.routine_triggers.created_at is 'When it was made.';

create table office_internal.trigger_secrets (
  trigger_id uuid primary key references office.routine_triggers (id) on delete cascade,
  secret text not null check (octet_length(secret) between 16 and 1000),
  bad_since timestamptz,
  bad_count integer not null default 0
) with (fillfactor = 70);
comment on table office_internal.trigger_secrets is 'Secrets of webhooks: shown once, kept here for checking signatures (R18).';
comment on column office_internal.trigger_secrets.trigger_id is 'The trigger.';
comment on column office_internal.trigger_secrets.secret is 'Its secret, 16 to 1000 bytes.';
comment on column office_internal.trigger_secrets.bad_since is 'When the minute began in which bad signatures are counted.';
comment on column office_internal.trigger_secrets.bad_count is 'Bad signatures in it.';

create table office.routine_runs (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null,
  routine_id uuid not null,
  trigger_id uuid,
  source text not null check (source in ('cron', 'webhook', 'manual')),
  slot timestamptz,
  status text not null check (status in ('received', 'task_created', 'done', 'skipped', 'coalesced', 'failed', 'cancelled')),
  trigger_payload jsonb not null default '{}',
  body jsonb,
  answered text,
  request_key text collate "C" check (length(request_key) between 1 and 255),
  linked_task_id uuid,
  wakeup_id uuid,
  linked_run_id uuid,
  coalesced_into_run_id uuid,
  dispatch_fingerprint bytea,
  missed_ticks integer,
  missed_since timestamptz,
  error text,
  fired_at timestamptz not null,
  ended_at timestamptz
) with (fillfactor = 80);
-- Whatever stops, jumps or is deployed: a slot fires once (R20).
create unique index routine_runs_slot on office.routine_runs (trigger_id, slot) where slot is not null;
create unique index routine_runs_key on office.routine_runs (routine_id, request_key) where request_key is not null;
create unique index routine_runs_wakeup on office.routine_runs (wakeup_id) where wakeup_id is not null;
create index routine_runs_routine on office.routine_runs (routine_id, fired_at);
create index routine_runs_active on office.routine_runs (routine_id, dispatch_fingerprint) where status in ('received', 'task_created');
create index routine_runs_task on office.routine_runs (linked_task_id) where linked_task_id is not null;
create index routine_runs_run on office.routine_runs (linked_run_id) where linked_run_id is not null;
comment on table office.routine_runs is 'Every fire of a routine, and what became of it (R12).';
comment on column office.routine_runs.id is 'Identity, time-ordered.';
comment on column office.routine_runs.workspace_id is 'Its workspace.';
comment on column office.routine_runs.routine_id is 'The routine.';
comment on column office.routine_runs.trigger_id is 'The trigger that fired; null: a hand.';
comment on column office.routine_runs.source is 'cron, webhook or manual.';
comment on column office.routine_runs.slot is 'The minute that a schedule fired for.';
comment on column office.routine_runs.status is 'received, task_created; then done, skipped, coalesced, failed or cancelled.';
comment on column office.routine_runs.trigger_payload is 'The variables, as they were resolved.';
comment on column office.routine_runs.body is 'What a webhook was sent.';
comment on column office.routine_runs.request_key is 'A webhook''s Idempotency-Key, at most 255 characters; unique for the routine.';
comment on column office.routine_runs.answered is 'What a webhook''s caller was told of its status; told again for the same key.';
comment on column office.routine_runs.linked_task_id is 'The task that it made, or joined.';
comment on column office.routine_runs.wakeup_id is 'The wakeup that it left; null: a task''s own wakes, or none.';
comment on column office.routine_runs.linked_run_id is 'The run that came of it, or that it joined.';
comment on column office.routine_runs.coalesced_into_run_id is 'The routine run that it joined.';
comment on column office.routine_runs.dispatch_fingerprint
is 'Hash of the resolved template and the assignee: what counts as the same (R13).';
comment on column office.routine_runs.missed_ticks is 'How many slots before it were dropped; 10000: at least.';
comment on column office.routine_runs.missed_since is 'The first of those.';
comment on column office.routine_runs.error is 'Why it failed.';
comment on column office.routine_runs.fired_at is 'When it fired.';
comment on column office.routine_runs.ended_at is 'When it came to its end.';

-- 'routine': a wakeup that names the live task of a routine, and joins its run or nothing (R14).
-- squawk-ignore ban-drop-constraint
alter table office_internal.signals drop constraint signals_kind_check;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.signals
add constraint signals_kind_check check (kind in ('wakeup', 'look', 'agent', 'setting', 'freed', 'resource', 'routine',
  'task_assigned', 'task_unassigned', 'task_started', 'task_closed', 'task_holds')) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.signals validate constraint signals_kind_check;
