-- Worktrees: a git worktree per task and agent, in projects that say so (X9).

alter table office.projects add column isolation text not null default 'shared' check (isolation in ('shared', 'worktree'));
-- A small table, rewritten and read at once.
alter table office.projects
-- squawk-ignore adding-field-with-default
add column work_folder text generated always as (folder || case when isolation = 'worktree' then '.worktrees' else '' end) stored;
-- squawk-ignore constraint-missing-not-valid
alter table office.projects add constraint projects_isolation check (isolation = 'shared' or folder is not null);
comment on column office.projects.isolation
is 'shared: its runs work in its folder, one at a time; worktree: each task''s agent in a git worktree of its own, at once (X9).';
comment on column office.projects.work_folder is 'Where its runs work: its folder, or where its worktrees are.';

create table office.worktrees (
  task_id uuid not null,
  agent_id uuid not null,
  workspace_id uuid not null,
  name text collate "C" not null unique,
  branch text not null,
  repository text not null,
  folder text not null,
  made_at timestamptz not null,
  collected_at timestamptz,
  primary key (task_id, agent_id)
);
create index worktrees_kept on office.worktrees (workspace_id) where collected_at is null;
comment on table office.worktrees
is 'Git worktrees of tasks'' agents: kept until the task has ended and the branch is merged or dropped (X9).';
comment on column office.worktrees.task_id is 'The task.';
comment on column office.worktrees.agent_id is 'Its agent.';
comment on column office.worktrees.workspace_id is 'The workspace.';
comment on column office.worktrees.name is 'As t97-ann; its key is worktree:<name>.';
comment on column office.worktrees.branch is 'The branch that is checked out there: office/<name>.';
comment on column office.worktrees.repository is 'Folder of the repository that it belongs to: the project''s, when it was made.';
comment on column office.worktrees.folder is 'Where it is.';
comment on column office.worktrees.made_at is 'When a run was first launched in it.';
comment on column office.worktrees.collected_at is 'When it was taken away; null: it is there.';

alter type office_internal.launch add attribute worktree jsonb;
-- They take or answer with more than before.
-- squawk-ignore ban-drop-function
drop function if exists office.claim_runs(uuid, integer);
-- squawk-ignore ban-drop-function
drop function if exists office.create_project(text, text, text, jsonb, text);

insert into office.errors (code, status, retryable, meaning) values
  ('worktree_kept', 409, false, 'The worktree''s task is open, or a run works in it.');
