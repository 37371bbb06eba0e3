-- Profiles that choose: thinking level and context window, tiers of complexity, and lists of profiles (T13, X7).

-- squawk-ignore ban-drop-not-null
alter table office.profiles alter column executor drop not null;
alter table office.profiles
add column thinking_level text check (thinking_level in ('low', 'medium', 'high', 'max')),
add column context_window integer check (context_window > 0),
add column tiers text[] check (tiers <@ array['low', 'medium', 'high', 'max'] and cardinality(tiers) > 0);
comment on column office.profiles.executor is 'What it launches; null: it chooses among other profiles, office.profile_choices.';
comment on column office.profiles.thinking_level is 'low, medium, high or max: how hard its model thinks; null: as its program does.';
comment on column office.profiles.context_window is 'Tokens above zero that its model is given at once; null: as its program does.';
comment on column office.profiles.tiers
is 'Of low, medium, high, max: complexities of tasks for which a list may choose it; null: any.';

create table office.profile_choices (
  profile_id uuid not null references office.profiles (id),
  position integer not null check (position > 0),
  workspace_id uuid not null references office.workspaces (id),
  choice_id uuid not null references office.profiles (id),
  primary key (profile_id, position),
  unique (profile_id, choice_id)
);
create index profile_choices_choice on office.profile_choices (choice_id);
create index profile_choices_workspace on office.profile_choices (workspace_id);
comment on table office.profile_choices
is 'What a profile chooses among, in this order: the first that is not on hold and fits the task (X7).';
comment on column office.profile_choices.profile_id is 'The profile that chooses.';
comment on column office.profile_choices.position is 'Place in its list, from 1.';
comment on column office.profile_choices.workspace_id is 'Their workspace.';
comment on column office.profile_choices.choice_id is 'A profile with an executor.';

create table office.run_choices (
  run_id uuid not null,
  position integer not null,
  workspace_id uuid not null,
  executor_id uuid not null,
  primary key (run_id, position)
);
comment on table office.run_choices
is 'The list that a run''s profile had when the run was made: what is changed later is for later runs (T13).';
comment on column office.run_choices.run_id is 'The run.';
comment on column office.run_choices.position is 'Place in the list.';
comment on column office.run_choices.workspace_id is 'Its workspace.';
comment on column office.run_choices.executor_id is 'What it may launch.';

alter table office.attempts add column executor_id uuid;
comment on column office.attempts.executor_id is 'What was launched; null: before it was recorded.';

-- They take or answer with more than before.
-- squawk-ignore ban-drop-function
drop function if exists office.create_profile(text, jsonb, text, text);
-- squawk-ignore ban-drop-function
drop function if exists office_internal.usual_executor(uuid, uuid);
-- squawk-ignore ban-drop-function
drop function if exists office.create_task(text, text, text, text, text, text[], text, text, boolean, jsonb, text);
