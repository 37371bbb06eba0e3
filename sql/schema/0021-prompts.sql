-- What an agent is told and what it leaves behind: continuation summaries, prompts that go on, evidence (C1-C5, E1-E3).

create table office.continuation_summaries (
  agent_id uuid not null,
  scope text collate "C" not null,
  workspace_id uuid not null,
  content text not null check (octet_length(content) <= 8192),
  content_tokens integer not null generated always as ((length(content) + 3) / 4) stored,
  updated_by_run_id uuid not null,
  updated_at timestamptz not null,
  previous_content text,
  previous_at timestamptz,
  primary key (agent_id, scope)
) with (fillfactor = 50);
comment on table office.continuation_summaries
is 'What an agent''s taskless runs hand on to the next: one row an agent and scope, written when a run of it has succeeded (C4, C5).';
comment on column office.continuation_summaries.agent_id is 'The agent.';
comment on column office.continuation_summaries.scope is 'routine:<id>, or agent:<id> for other taskless runs; fixed with the run.';
comment on column office.continuation_summaries.workspace_id is 'Its workspace.';
comment on column office.continuation_summaries.content
is 'Four sections of Markdown, at most 8 KB; a prompt takes its first 1,500 characters.';
comment on column office.continuation_summaries.content_tokens
is 'About how many tokens that is: characters / 4, rounded up.';
comment on column office.continuation_summaries.updated_by_run_id is 'The run that left it.';
comment on column office.continuation_summaries.updated_at is 'When that run ended; the next tells what happened since.';
comment on column office.continuation_summaries.previous_content is 'What stood before, so that the same run gives the same text again.';
comment on column office.continuation_summaries.previous_at is 'When that was left; null: there was none.';

-- What a summary counts in its workspace, and what an agent has noted (C5).
-- squawk-ignore require-concurrent-index-creation
create index runs_succeeded on office.runs (workspace_id, ended_at) where outcome = 'succeeded';
-- squawk-ignore require-concurrent-index-creation
create index activity_noted on office.activity (agent_id, at) where kind = 'decision_noted';
-- squawk-ignore require-concurrent-index-creation
create index inbox_items_of_agents on office.inbox_items (workspace_id, created_at) where kind like 'agent.%' or kind like 'budget.%';

-- They take more, or other, than they did.
-- squawk-ignore ban-drop-function
drop function if exists office_internal.build_prompt(uuid, integer);
-- squawk-ignore ban-drop-function
drop function if exists office_internal.wakeup_text(office.wakeups);
-- squawk-ignore ban-drop-function
drop function if exists office_internal.task_list(uuid[]);

-- What a run's result asks for is carried out as its agent, once it has ended (X8).
-- squawk-ignore ban-drop-constraint
alter table office_internal.changes drop constraint changes_kind_check;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.changes
add constraint changes_kind_check check (kind in ('move_task', 'pause_agent', 'action')) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.changes validate constraint changes_kind_check;
alter table office_internal.changes add column action jsonb;
comment on column office_internal.changes.action is 'What a result asks for: {"do": "comment", "body": "…"}; null: no action.';

create table office.feedback (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null,
  run_id uuid not null,
  number integer not null check (number between 1 and 100),
  account_id uuid not null references office.accounts (id),
  body text not null check (length(body) between 1 and 4000),
  wakeup_id uuid,
  created_at timestamptz not null default office.now(),
  unique (run_id, number)
);
comment on table office.feedback is 'What people say of runs; the run itself is never edited (E3).';
comment on column office.feedback.id is 'Identity, time-ordered.';
comment on column office.feedback.workspace_id is 'Its workspace.';
comment on column office.feedback.run_id is 'The run.';
comment on column office.feedback.number is 'Which of the run''s, from 1: it takes 100.';
comment on column office.feedback.account_id is 'Who said it.';
comment on column office.feedback.body is 'What.';
comment on column office.feedback.wakeup_id
is 'The wakeup that it asked for: that one''s run follows this one up; null: none was asked for.';
comment on column office.feedback.created_at is 'When.';
