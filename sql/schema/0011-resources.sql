-- Who works on what (S4, P7): the keys that runs hold and those that runs wait for, found by index whatever is held; and the rows by
-- which claims of different workspaces take turns at what spans workspaces (A6).

create table office_internal.shared (
  key text collate "C" primary key
);
comment on table office_internal.shared
is 'One row a host or provider account; whoever changes what spans workspaces locks it, last, in ascending order (A6).';
comment on column office_internal.shared.key is 'What it stands for: host:server, or a provider account.';
insert into office_internal.shared (key) values ('host:server');

-- By bytes, so that the folders inside one are a range of keys, and those around it a few equal ones.
create table office.resources (
  attempt_id uuid not null references office.attempts (id),
  key text collate "C" not null check (length(key) <= 1200),
  run_id uuid not null references office.runs (id),
  workspace_id uuid not null,
  added boolean not null default false,
  taken_at timestamptz not null,
  ended_at timestamptz,
  primary key (attempt_id, key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index resources_key on office.resources (key);
create index resources_run on office.resources (run_id);
comment on table office.resources is 'What runs work on: keys that no two runs hold at once (S4).';
comment on column office.resources.attempt_id is 'The attempt that holds it.';
comment on column office.resources.key
is 'What is held: project:<id>, repo:<address>, folder:<host>:<path>, worktree:<name>, continues:<run>, session:<id>.';
comment on column office.resources.run_id is 'The run of that attempt.';
comment on column office.resources.workspace_id is 'Its workspace.';
comment on column office.resources.added is 'True: the run began to change it while it ran; it asked nobody (office.add_resource).';
comment on column office.resources.taken_at is 'Since when.';
comment on column office.resources.ended_at is 'When the attempt ended; its cleanup is not confirmed yet (office.confirm_cleanup).';

create table office_internal.resource_waits (
  run_id uuid not null references office.runs (id) on delete cascade,
  key text collate "C" not null,
  workspace_id uuid not null,
  primary key (run_id, key)
);
create index resource_waits_key on office_internal.resource_waits (key, workspace_id, run_id);
comment on table office_internal.resource_waits is 'The keys of runs that are parked for a resource, so that whoever frees one finds them.';
comment on column office_internal.resource_waits.run_id is 'The run that waits.';
comment on column office_internal.resource_waits.key is 'A key that it needs.';
comment on column office_internal.resource_waits.workspace_id is 'Its workspace.';

-- squawk-ignore ban-drop-constraint
alter table office_internal.signals drop constraint signals_kind_check;
alter table office_internal.signals
add column key text collate "C";
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.signals
add constraint signals_kind_check check (kind in ('wakeup', 'look', 'agent', 'setting', 'freed', 'resource',
  'task_assigned', 'task_unassigned', 'task_started', 'task_closed', 'task_holds')) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office_internal.signals validate constraint signals_kind_check;
comment on column office_internal.signals.kind
is 'What changed: a wakeup came; look again; an agent, a setting; a task assigned, taken away, started, closed, held or freed;
a key that was freed here, or anywhere.';
comment on column office_internal.signals.key is 'The key.';
