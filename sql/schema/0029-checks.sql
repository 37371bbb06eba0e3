-- Done means checked: commands that the office runs in a task's tree before it is in review or done (T15).

alter table office.projects
add column check_command jsonb check (
  check_command is null or jsonb_typeof(check_command) = 'array'
  and jsonb_array_length(case when jsonb_typeof(check_command) = 'array' then check_command else '[]' end) between 1 and 100
  and not jsonb_path_exists(check_command, 'strict $[*] ? (@.type() != "string")', silent => true)
  and check_command ->> 0 <> ''
);
comment on column office.projects.check_command
is 'A command, as ["make", "test"]: run in a task''s tree before it is in review or done; null: none (T15).';
alter table office.stages
add column check_command jsonb check (
  check_command is null or jsonb_typeof(check_command) = 'array'
  and jsonb_array_length(case when jsonb_typeof(check_command) = 'array' then check_command else '[]' end) between 1 and 100
  and not jsonb_path_exists(check_command, 'strict $[*] ? (@.type() != "string")', silent => true)
  and check_command ->> 0 <> ''
);
comment on column office.stages.check_command
is 'A command, as ["make", "lint"], for tasks that come into this stage; null: the project''s.';

create table office.task_checks (
  id uuid primary key default office.uuid7(),
  number bigint generated always as identity,
  workspace_id uuid not null,
  task_id uuid not null,
  target text not null check (target in ('in_review', 'done')),
  command jsonb not null,
  status text not null default 'requested' check (status in ('requested', 'running', 'passed', 'failed', 'used')),
  account_id uuid,
  agent_id uuid,
  attempt_id uuid,
  depth integer not null default 0,
  requested_at timestamptz not null default office.now(),
  worker_id uuid,
  started_at timestamptz,
  ended_at timestamptz,
  exit_code integer,
  output text check (octet_length(output) <= 65536),
  tree text check (length(tree) between 1 and 200)
);
create unique index task_checks_open on office.task_checks (task_id) where status in ('requested', 'running');
create index task_checks_task on office.task_checks (task_id, number);
create index task_checks_waiting on office.task_checks (number) where status in ('requested', 'running');
comment on table office.task_checks is 'Checks of tasks: one row each time that a task is to be in review or done (T15).';
comment on column office.task_checks.id is 'Identity, time-ordered.';
comment on column office.task_checks.number is 'Order.';
comment on column office.task_checks.workspace_id is 'Its workspace.';
comment on column office.task_checks.task_id is 'The task.';
comment on column office.task_checks.target is 'Where the task goes once it has passed: in_review or done.';
comment on column office.task_checks.command is 'What is run: the stage''s, else the project''s, when it was asked for.';
comment on column office.task_checks.status is 'requested, running, passed, failed; used: the move that it was for is made.';
comment on column office.task_checks.account_id is 'Who wants the move.';
comment on column office.task_checks.agent_id is 'The agent that wants it.';
comment on column office.task_checks.attempt_id is 'From inside which attempt.';
comment on column office.task_checks.depth is 'Depth of the cause.';
comment on column office.task_checks.requested_at is 'When.';
comment on column office.task_checks.worker_id is 'Who runs it.';
comment on column office.task_checks.started_at is 'Since when.';
comment on column office.task_checks.ended_at is 'When it had passed or failed.';
comment on column office.task_checks.exit_code is 'How its command ended; null: it was not run, or was stopped.';
comment on column office.task_checks.output is 'The end of what it printed, at most 64 KB.';
comment on column office.task_checks.tree is 'Identity of the tree that passed: while that is the same, it is not run again.';

-- squawk-ignore constraint-missing-not-valid
insert into office.wakeup_fields (source, field, type, required, choices) values
  ('changes_requested', 'check_id', 'uuid', false, null);
insert into office.setting_definitions (key, scopes, value_type, default_value, minimum, maximum, choices, meaning) values
  ('check_minutes', '{office,workspace}', 'integer', '30', 1, 1440, null, 'how long a check of a task may take (T15)'),
  ('max_check_rounds', '{office,workspace}', 'integer', '3', 1, 100, null,
    'failed checks of a task that go back to its assignee, before a person is asked (T15)');
insert into office.errors (code, status, retryable, meaning) values
  ('check_needed', 409, false, 'The task is in review or done only after its check has passed.'),
  ('check_superseded', 409, false, 'The check is no longer this worker''s to tell of.');

-- They take more than before.
-- squawk-ignore ban-drop-function
drop function if exists office.create_project(text, text, text, jsonb, text, text);
