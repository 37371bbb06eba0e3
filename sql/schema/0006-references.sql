-- What functions answer with about one thing, so that every function about tasks answers in one shape.

create type office.workspace_reference as (workspace_id uuid, workspace text);
comment on type office.workspace_reference is 'A workspace, by id and name.';
comment on column office.workspace_reference.workspace_id is 'Its id.';
comment on column office.workspace_reference.workspace is 'Its name.';

create type office.agent_reference as (agent_id uuid, agent text, workspace text, note text);
comment on type office.agent_reference is 'An agent, and what its maker should know.';
comment on column office.agent_reference.agent_id is 'Its id.';
comment on column office.agent_reference.agent is 'Its name.';
comment on column office.agent_reference.workspace is 'Its workspace.';
comment on column office.agent_reference.note is 'What its maker should know, if anything.';

create type office.project_reference as (project_id uuid, project text, workspace text);
comment on type office.project_reference is 'A project, by id and name.';
comment on column office.project_reference.project_id is 'Its id.';
comment on column office.project_reference.project is 'Its name.';
comment on column office.project_reference.workspace is 'Its workspace.';

create type office.profile_reference as (profile_id uuid, profile text, workspace text);
comment on type office.profile_reference is 'An execution profile, by id and name.';
comment on column office.profile_reference.profile_id is 'Its id.';
comment on column office.profile_reference.profile is 'Its name.';
comment on column office.profile_reference.workspace is 'Its workspace.';

create type office.task_reference as (task_id uuid, task text, state text, assignee text, workspace text);
comment on type office.task_reference is 'A task as it is after the call.';
comment on column office.task_reference.task_id is 'Its id.';
comment on column office.task_reference.task is 'Its number: t97.';
comment on column office.task_reference.state is 'Its state.';
comment on column office.task_reference.assignee is 'Agent that it is assigned to.';
comment on column office.task_reference.workspace is 'Its workspace.';

create type office.run_reference as (run_id uuid, run text, status text, result text);
comment on type office.run_reference is 'A run as it is after the call.';
comment on column office.run_reference.run_id is 'Its id.';
comment on column office.run_reference.run is 'Its number: r4812.';
comment on column office.run_reference.status is 'Its status.';
comment on column office.run_reference.result is 'Its outcome, cancel reason or status.';

create type office_internal.launch as (
  run_id uuid, run text, attempt_id uuid, attempt_number integer, workspace_id uuid, workspace text, agent_id uuid,
  agent text, task_id uuid, task text, reason text, prompt text, executor jsonb, engine_session text, environment jsonb,
  folder text, limits jsonb, resume boolean, answer jsonb, token text, next_due_at timestamptz
);
comment on type office_internal.launch is 'All that a launcher needs; the columns of office.claim_runs.';
