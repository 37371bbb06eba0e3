-- The work that agents are woken for. People's tables: locked by anybody in any order; their triggers insert
-- activity and signals and touch nothing of the office's (A6).

create table office.tasks (
  id uuid primary key default office.uuid7(),
  number bigint generated always as identity,
  workspace_id uuid not null references office.workspaces (id),
  project_id uuid references office.projects (id),
  parent_id uuid references office.tasks (id),
  workflow_id uuid not null references office.workflows (id),
  stage_id uuid references office.stages (id),
  title text not null check (length(title) between 1 and 200),
  description text not null default '',
  state text not null default 'todo' references office.task_states (state),
  priority text not null default 'medium' check (priority in ('low', 'medium', 'high', 'urgent')),
  complexity text check (complexity in ('low', 'medium', 'high', 'max')),
  complexity_set_by text check (complexity_set_by in ('person', 'system')),
  owner text not null default 'unassigned' check (owner in ('me', 'agent', 'unassigned', 'node')),
  assignee_agent_id uuid references office.agents (id),
  assignee_account_id uuid references office.accounts (id),
  owner_node_id text,
  requires_approval boolean not null default false,
  snoozed_until timestamptz,
  source_ref text,
  executor jsonb,
  executor_id uuid references office.executors (id),
  created_by_account_id uuid references office.accounts (id),
  created_by_agent_id uuid references office.agents (id),
  created_by_node_id text,
  created_at timestamptz not null default office.now(),
  archived_at timestamptz,
  deleted_at timestamptz,
  check ((owner = 'agent') = (assignee_agent_id is not null))
) with (fillfactor = 90);
create unique index tasks_number on office.tasks (number);
create index tasks_workspace on office.tasks (workspace_id, state) where archived_at is null and deleted_at is null;
create index tasks_project on office.tasks (project_id) where project_id is not null;
create index tasks_parent on office.tasks (parent_id) where parent_id is not null;
-- The idle skip's one indexed count (Q13).
create index tasks_actionable on office.tasks (assignee_agent_id)
  where state in ('todo', 'in_progress') and archived_at is null and deleted_at is null;
comment on table office.tasks is 'Tasks. Its checkout is a row of checkouts, its blockers are rows of task_blockers.';
comment on column office.tasks.id is 'Identity, time-ordered.';
comment on column office.tasks.number is 'Number for people: t97.';
comment on column office.tasks.workspace_id is 'Its workspace.';
comment on column office.tasks.project_id is 'Its project, if any.';
comment on column office.tasks.parent_id is 'The task that it is a part of.';
comment on column office.tasks.workflow_id is 'The workflow that it moves through.';
comment on column office.tasks.stage_id is 'Its stage there; follows the state.';
comment on column office.tasks.title is 'Title, at most 200 characters.';
comment on column office.tasks.description is 'What is to be done.';
comment on column office.tasks.state is 'Its state; moves are rows of task_moves.';
comment on column office.tasks.priority is 'low, medium, high or urgent.';
comment on column office.tasks.complexity is 'low, medium, high or max; null: not judged.';
comment on column office.tasks.complexity_set_by is 'person or system; what a person set is never reclassified.';
comment on column office.tasks.owner is 'Whose it is: me, agent, unassigned or node.';
comment on column office.tasks.assignee_agent_id is 'Agent that it is assigned to.';
comment on column office.tasks.assignee_account_id is 'Person that it is assigned to.';
comment on column office.tasks.owner_node_id is 'Node that owns it.';
comment on column office.tasks.requires_approval is 'Done is reached only through a person''s approval.';
comment on column office.tasks.snoozed_until is 'Its task_assigned runs wait until then.';
comment on column office.tasks.source_ref is 'Where it came from.';
comment on column office.tasks.executor is 'What to launch for it; wins over its agent''s.';
comment on column office.tasks.executor_id is 'The same, as a row of executors; set by trigger.';
comment on column office.tasks.created_by_account_id is 'Account that made it.';
comment on column office.tasks.created_by_agent_id is 'Agent that made it, from inside a run.';
comment on column office.tasks.created_by_node_id is 'Node that made it.';
comment on column office.tasks.created_at is 'When it was made.';
comment on column office.tasks.archived_at is 'When it was archived; null: it is not.';
comment on column office.tasks.deleted_at is 'When it was deleted; null: it lives.';

create table office.task_blockers (
  workspace_id uuid not null references office.workspaces (id),
  task_id uuid not null references office.tasks (id),
  blocker_task_id uuid not null references office.tasks (id),
  created_at timestamptz not null default office.now(),
  primary key (task_id, blocker_task_id),
  check (task_id <> blocker_task_id)
);
create index task_blockers_blocker on office.task_blockers (blocker_task_id);
comment on table office.task_blockers is 'Which task waits for which (T8).';
comment on column office.task_blockers.workspace_id is 'Workspace of both.';
comment on column office.task_blockers.task_id is 'The task that waits.';
comment on column office.task_blockers.blocker_task_id is 'The task that it waits for.';
comment on column office.task_blockers.created_at is 'Since when.';

create table office.task_participants (
  workspace_id uuid not null references office.workspaces (id),
  task_id uuid not null references office.tasks (id),
  agent_id uuid not null references office.agents (id),
  role text not null check (role in ('reviewer', 'approver')),
  created_at timestamptz not null default office.now(),
  primary key (task_id, agent_id, role)
);
create index task_participants_agent on office.task_participants (agent_id);
comment on table office.task_participants is 'Agents that review or approve a task.';
comment on column office.task_participants.workspace_id is 'Workspace of the task.';
comment on column office.task_participants.task_id is 'The task.';
comment on column office.task_participants.agent_id is 'The agent.';
comment on column office.task_participants.role is 'reviewer (advises) or approver (decides).';
comment on column office.task_participants.created_at is 'Since when.';

create table office.comments (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  task_id uuid not null references office.tasks (id),
  author_account_id uuid references office.accounts (id),
  author_agent_id uuid references office.agents (id),
  attempt_id uuid,
  body text not null check (length(body) between 1 and 65536),
  created_at timestamptz not null default office.now(),
  check (num_nonnulls(author_account_id, author_agent_id) = 1)
);
create index comments_task on office.comments (task_id, created_at);
comment on table office.comments is 'Comments on tasks, by people and agents.';
comment on column office.comments.id is 'Identity, time-ordered.';
comment on column office.comments.workspace_id is 'Workspace of the task.';
comment on column office.comments.task_id is 'The task.';
comment on column office.comments.author_account_id is 'The account that wrote it.';
comment on column office.comments.author_agent_id is 'The agent that wrote it.';
comment on column office.comments.attempt_id is 'The attempt from inside which it was written.';
comment on column office.comments.body is 'Text.';
comment on column office.comments.created_at is 'When it was written.';
