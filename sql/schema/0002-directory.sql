-- People's directory: accounts, workspaces, members, agents, profiles, projects, workflows, stages; and settings.
-- These tables are locked by anybody in any order (A6). Rows of agents and projects are never removed by people:
-- a DELETE sets deleted_at (sql/triggers). No foreign key leads from the office's tables to these, because its
-- check would wait for a row that a person's open transaction holds; office.audit() looks for what dangles.

create table office.accounts (
  id uuid primary key default office.uuid7(),
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
  email text check (length(email) <= 320),
  email_verified_at timestamptz,
  operator boolean not null default false,
  db_role text check (length(db_role) <= 63),
  created_at timestamptz not null default office.now(),
  deleted_at timestamptz
);
create unique index accounts_name on office.accounts (lower(name)) where deleted_at is null;
create unique index accounts_db_role on office.accounts (db_role) where db_role is not null and deleted_at is null;
comment on table office.accounts is 'People and applications that use the office, and the account "system".';
comment on column office.accounts.id is 'Identity, time-ordered.';
comment on column office.accounts.name is 'Name, unique whatever the case.';
comment on column office.accounts.email is 'E-mail address, if any, at most 320 characters.';
comment on column office.accounts.email_verified_at is 'When the address was verified; null: not yet.';
comment on column office.accounts.operator is 'May cause runs on the server itself (V2). It is no database role.';
comment on column office.accounts.db_role is 'Login whose sessions act as this account, at most 63 characters.';
comment on column office.accounts.created_at is 'When it was made.';
comment on column office.accounts.deleted_at is 'When it was deleted; null: it lives.';

-- Owner, operators without an account, and the office itself act as this one.
insert into office.accounts (id, name, operator, email_verified_at)
values ('00000000-0000-7000-8000-000000000001', 'system', true, office.now());

create table office.executors (
  id uuid primary key,
  body jsonb not null check (jsonb_typeof(body) = 'object'),
  created_at timestamptz not null default office.now()
);
comment on table office.executors is 'Executor settings, each distinct one once and unchangeable: a run that froze one keeps it (T13).';
comment on column office.executors.id is 'Made from the body, so that equal settings share a row.';
comment on column office.executors.body is 'What to launch: {"command": ["argv", …], "folder": …, "environment": {…}, …}.';
comment on column office.executors.created_at is 'When it was first used.';

create table office.workspaces (
  id uuid primary key default office.uuid7(),
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
  owner_account_id uuid not null references office.accounts (id),
  timezone text not null default 'UTC',
  executor jsonb,
  executor_id uuid references office.executors (id),
  office_workflow_id uuid,
  routine_workflow_id uuid,
  created_at timestamptz not null default office.now(),
  deleted_at timestamptz
);
create unique index workspaces_name on office.workspaces (lower(name)) where deleted_at is null;
create index workspaces_owner on office.workspaces (owner_account_id);
comment on table office.workspaces is 'A workspace: agents, tasks and slots of its own. All keys lead here.';
comment on column office.workspaces.id is 'Identity, time-ordered.';
comment on column office.workspaces.name is 'Name, unique whatever the case.';
comment on column office.workspaces.owner_account_id is 'Who owns it.';
comment on column office.workspaces.timezone is 'Zone in which reset times without a zone of their own are read (Q19).';
comment on column office.workspaces.executor is 'Executor for runs for which task, agent and project name none.';
comment on column office.workspaces.executor_id is 'The same, as a row of executors; set by trigger.';
comment on column office.workspaces.office_workflow_id is 'Its system workflow "office".';
comment on column office.workspaces.routine_workflow_id is 'Its hidden system workflow "routine".';
comment on column office.workspaces.created_at is 'When it was made.';
comment on column office.workspaces.deleted_at is 'When it was deleted; null: it lives.';

create table office.members (
  workspace_id uuid not null references office.workspaces (id),
  account_id uuid not null references office.accounts (id),
  role text not null default 'member' check (role in ('owner', 'member')),
  created_at timestamptz not null default office.now(),
  primary key (workspace_id, account_id)
);
create index members_account on office.members (account_id);
comment on table office.members is 'Who belongs to which workspace, and so sees it.';
comment on column office.members.workspace_id is 'The workspace.';
comment on column office.members.account_id is 'The account.';
comment on column office.members.role is 'owner or member.';
comment on column office.members.created_at is 'Since when.';

create table office.profiles (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
  executor jsonb not null,
  executor_id uuid references office.executors (id),
  model text,
  enabled boolean not null default true,
  created_at timestamptz not null default office.now(),
  deleted_at timestamptz
);
create unique index profiles_name on office.profiles (workspace_id, lower(name)) where deleted_at is null;
comment on table office.profiles is 'Execution profiles that agents are bound to (X7).';
comment on column office.profiles.id is 'Identity, time-ordered.';
comment on column office.profiles.workspace_id is 'Its workspace.';
comment on column office.profiles.name is 'Name, unique in the workspace.';
comment on column office.profiles.executor is 'What it launches.';
comment on column office.profiles.executor_id is 'The same, as a row of executors; set by trigger.';
comment on column office.profiles.model is 'Model that it asks for, if any.';
comment on column office.profiles.enabled is 'False: agents bound to it cannot launch by it.';
comment on column office.profiles.created_at is 'When it was made.';
comment on column office.profiles.deleted_at is 'When it was deleted; null: it lives.';

create table office.agents (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
  role text not null default 'worker' check (role in ('worker', 'specialist', 'assistant', 'coordinator', 'ceo')),
  instructions text not null default '',
  status text not null default 'active' check (status in ('active', 'paused', 'stopped')),
  status_reason text,
  paused_by text check (paused_by in ('person', 'budget', 'failures')),
  reports_to uuid references office.agents (id),
  profile_id uuid references office.profiles (id),
  executor jsonb,
  executor_id uuid references office.executors (id),
  max_concurrent_sessions integer not null default 1 check (max_concurrent_sessions between 1 and 100),
  cooldown_sec integer not null default 10 check (cooldown_sec between 0 and 86400),
  skip_idle_wakeups boolean not null,
  skip_unchanged_wakeups boolean not null default false,
  created_by_account_id uuid references office.accounts (id),
  created_at timestamptz not null default office.now(),
  deleted_at timestamptz
) with (fillfactor = 90);
create unique index agents_name on office.agents (workspace_id, lower(name)) where deleted_at is null;
create index agents_reports_to on office.agents (reports_to) where reports_to is not null;
create index agents_profile on office.agents (profile_id) where profile_id is not null;
comment on table office.agents is 'Agents: who can be woken. idle and working are derived (view agent_load).';
comment on column office.agents.id is 'Identity, time-ordered.';
comment on column office.agents.workspace_id is 'Its workspace.';
comment on column office.agents.name is 'Name, unique in the workspace.';
comment on column office.agents.role is 'worker, specialist, assistant, coordinator or ceo.';
comment on column office.agents.instructions is 'What it is told at the head of every fresh prompt.';
comment on column office.agents.status is 'active; paused: its runs wait; stopped: its runs end agent_stopped.';
comment on column office.agents.status_reason is 'Why it is not active.';
comment on column office.agents.paused_by is 'Who paused it: a person''s pause asks its live runs to stop, the others only hold new ones.';
comment on column office.agents.reports_to is 'The agent that leads it; hears of its failures.';
comment on column office.agents.profile_id is 'Execution profile, used when it has no executor of its own.';
comment on column office.agents.executor is 'What to launch for it.';
comment on column office.agents.executor_id is 'The same, as a row of executors; set by trigger.';
comment on column office.agents.max_concurrent_sessions is 'Most runs of it at once, 1 to 100.';
comment on column office.agents.cooldown_sec is 'Seconds between the end of one of its runs and the next claim, 0 to 86400.';
comment on column office.agents.skip_idle_wakeups
is 'Periodic wakes end idle_skipped when it has no actionable task; true unless its role is ceo or coordinator.';
comment on column office.agents.skip_unchanged_wakeups is 'Periodic wakes are skipped when nothing changed since its last run.';
comment on column office.agents.created_by_account_id is 'Who made it.';
comment on column office.agents.created_at is 'When it was made.';
comment on column office.agents.deleted_at is 'When it was deleted; null: it lives.';

create table office.projects (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
  folder text check (folder like '/%'),
  repo text,
  executor jsonb,
  executor_id uuid references office.executors (id),
  created_by_account_id uuid references office.accounts (id),
  created_at timestamptz not null default office.now(),
  deleted_at timestamptz
);
create unique index projects_name on office.projects (workspace_id, lower(name)) where deleted_at is null;
comment on table office.projects is 'Projects: a folder or repository that tasks belong to.';
comment on column office.projects.id is 'Identity, time-ordered.';
comment on column office.projects.workspace_id is 'Its workspace.';
comment on column office.projects.name is 'Name, unique in the workspace.';
comment on column office.projects.folder is 'Absolute path in which its runs work.';
comment on column office.projects.repo is 'Address of its repository.';
comment on column office.projects.executor is 'What to launch for its tasks when task and agent name nothing.';
comment on column office.projects.executor_id is 'The same, as a row of executors; set by trigger.';
comment on column office.projects.created_by_account_id is 'Who made it.';
comment on column office.projects.created_at is 'When it was made.';
comment on column office.projects.deleted_at is 'When it was deleted; null: it lives.';

create table office.task_states (
  state text primary key,
  position integer not null unique,
  closed boolean not null,
  meaning text not null
);
comment on table office.task_states is 'The states of a task (T2).';
comment on column office.task_states.state is 'Name of the state.';
comment on column office.task_states.position is 'Order on a board.';
comment on column office.task_states.closed is 'True for done and cancelled.';
comment on column office.task_states.meaning is 'What it means.';
insert into office.task_states (state, position, closed, meaning) values
  ('proposed', 1, false, 'somebody would like it; nobody has agreed'),
  ('todo', 2, false, 'agreed, not begun'),
  ('in_progress', 3, false, 'being worked on'),
  ('in_review', 4, false, 'waits for reviewers or an approval'),
  ('blocked', 5, false, 'cannot go on; somebody must help'),
  ('done', 6, true, 'finished'),
  ('cancelled', 7, true, 'dropped');

create table office.task_moves (
  from_state text not null references office.task_states (state),
  to_state text not null references office.task_states (state),
  primary key (from_state, to_state)
);
comment on table office.task_moves is 'The moves that a task may make; every other is refused, whoever makes it (T2).';
comment on column office.task_moves.from_state is 'State it leaves.';
comment on column office.task_moves.to_state is 'State it reaches.';
insert into office.task_moves (from_state, to_state) values
  ('proposed', 'todo'), ('proposed', 'cancelled'), ('proposed', 'in_progress'),
  ('todo', 'in_progress'), ('todo', 'cancelled'), ('todo', 'done'), ('todo', 'proposed'),
  ('in_progress', 'in_review'), ('in_progress', 'blocked'), ('in_progress', 'done'), ('in_progress', 'todo'),
  ('in_progress', 'cancelled'),
  ('in_review', 'in_progress'), ('in_review', 'done'), ('in_review', 'blocked'), ('in_review', 'cancelled'),
  ('blocked', 'todo'), ('blocked', 'in_progress'), ('blocked', 'cancelled'),
  ('done', 'todo'),
  ('cancelled', 'proposed'), ('cancelled', 'todo');

create table office.workflows (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  name text not null,
  kind text not null default 'kanban' check (kind in ('office', 'routine', 'kanban')),
  hidden boolean not null default false,
  created_at timestamptz not null default office.now()
);
create unique index workflows_name on office.workflows (workspace_id, lower(name));
create unique index workflows_system on office.workflows (workspace_id, kind) where kind <> 'kanban';
comment on table office.workflows is 'Workflows: the columns a task moves through. Each workspace has "office" and the hidden "routine".';
comment on column office.workflows.id is 'Identity, time-ordered.';
comment on column office.workflows.workspace_id is 'Its workspace.';
comment on column office.workflows.name is 'Name, unique in the workspace.';
comment on column office.workflows.kind is 'office, routine (system workflows) or kanban (a person''s board).';
comment on column office.workflows.hidden is 'Not shown among boards.';
comment on column office.workflows.created_at is 'When it was made.';

create table office.stages (
  id uuid primary key default office.uuid7(),
  workflow_id uuid not null references office.workflows (id),
  name text not null,
  position integer not null,
  state text not null references office.task_states (state),
  auto_start_agent boolean not null default false,
  queue_run boolean not null default false,
  unique (workflow_id, position)
);
create unique index stages_name on office.stages (workflow_id, lower(name));
comment on table office.stages is 'Stages of a workflow, each standing for a state (T4).';
comment on column office.stages.id is 'Identity, time-ordered.';
comment on column office.stages.workflow_id is 'Its workflow.';
comment on column office.stages.name is 'Name, unique in the workflow.';
comment on column office.stages.position is 'Order, from 1.';
comment on column office.stages.state is 'State that a task in it has.';
comment on column office.stages.auto_start_agent is 'On entry the assignee is woken.';
comment on column office.stages.queue_run is 'On entry a run of the assignee is queued, in any workflow.';

alter table office.workspaces
  add constraint workspaces_office_workflow foreign key (office_workflow_id) references office.workflows (id),
  add constraint workspaces_routine_workflow foreign key (routine_workflow_id) references office.workflows (id);

create table office.setting_definitions (
  key text primary key,
  scopes text[] not null check (scopes <@ array['office', 'workspace', 'account'] and scopes <> '{}'),
  value_type text not null check (value_type in ('integer', 'text', 'boolean')),
  default_value text not null,
  minimum integer,
  maximum integer,
  choices text[],
  meaning text not null
);
comment on table office.setting_definitions is 'What can be set, where, within which range (J4). An unknown key is refused.';
comment on column office.setting_definitions.key is 'Name of the setting.';
comment on column office.setting_definitions.scopes is 'Where it may be set: office, workspace, account; the narrowest wins.';
comment on column office.setting_definitions.value_type is 'integer, text or boolean.';
comment on column office.setting_definitions.default_value is 'What holds when no row says otherwise.';
comment on column office.setting_definitions.minimum is 'Least value of an integer.';
comment on column office.setting_definitions.maximum is 'Greatest value of an integer.';
comment on column office.setting_definitions.choices is 'Allowed texts; null: any.';
comment on column office.setting_definitions.meaning is 'What it does.';
insert into office.setting_definitions (key, scopes, value_type, default_value, minimum, maximum, choices, meaning) values
  ('max_concurrent_runs', '{office,workspace}', 'integer', '3', 1, 8, null, 'slots of a workspace: most runs at once (S1)'),
  ('coalescing_window_seconds', '{office,workspace}', 'integer', '5', 0, 300, null,
    'how long bursty wakes gather before their run can be claimed (Q6)'),
  ('on_checkout_conflict', '{office,workspace}', 'text', 'skip', null, null, '{skip,wait}',
    'an assignee''s run that finds its task locked by another: skip it, or wait (Q13)'),
  ('on_interrupt', '{office,workspace}', 'text', 'ask', null, null, '{ask,retry}',
    'a run whose worker died: ask a person, or try again (P3)'),
  ('max_retry_count', '{office,workspace}', 'integer', '4', 0, 10, null, 'retries before a run gives up (Q18)'),
  ('attempt_minutes', '{office,workspace}', 'integer', '60', 1, 10080, null, 'active minutes of one attempt (S6)'),
  ('silence_timeout_seconds', '{office,workspace}', 'integer', '900', 1, 86400, null,
    'a program that prints nothing for so long is stopped (K15)'),
  ('output_limit_bytes', '{office,workspace}', 'integer', '2097152', 1024, 1073741824, null, 'output kept of one attempt (X5)'),
  ('worker_lease_seconds', '{office}', 'integer', '60', 3, 3600, null, 'lease of a worker (Q22)'),
  ('worker_heartbeat_seconds', '{office}', 'integer', '10', 1, 1200, null, 'how often a worker beats; at most a third of the lease (Q22)'),
  ('worker_poll_seconds', '{office}', 'integer', '5', 1, 300, null, 'how often a worker asks when no notification comes (Q15)'),
  ('sweep_seconds', '{office}', 'integer', '60', 1, 3600, null, 'how often leases are swept (Q22)');

create table office.settings (
  scope text not null check (scope in ('office', 'workspace', 'account')),
  scope_id uuid not null default '00000000-0000-0000-0000-000000000000',
  key text not null references office.setting_definitions (key),
  value text not null,
  set_by uuid references office.accounts (id),
  set_at timestamptz not null default office.now(),
  primary key (key, scope, scope_id),
  check ((scope = 'office') = (scope_id = '00000000-0000-0000-0000-000000000000'))
);
comment on table office.settings is 'Settings that differ from their default (J4). Range is checked by trigger, for a plain UPDATE too.';
comment on column office.settings.scope is 'office, workspace or account.';
comment on column office.settings.scope_id is 'The workspace or account; all zeros for the office.';
comment on column office.settings.key is 'Name of the setting.';
comment on column office.settings.value is 'Its value as text.';
comment on column office.settings.set_by is 'Who set it last.';
comment on column office.settings.set_at is 'When.';

create table office_internal.gateways (
  login text primary key,
  kind text not null check (kind in ('act_as', 'claims', 'token')),
  created_at timestamptz not null default office.now()
);
comment on table office_internal.gateways is 'Logins that speak for others (I6): they name whom they act for in each transaction.';
comment on column office_internal.gateways.login is 'Name of the login.';
comment on column office_internal.gateways.kind is 'act_as: by account name; claims: by JWT claims; token: by the token of an agent.';
comment on column office_internal.gateways.created_at is 'When it was made one.';
