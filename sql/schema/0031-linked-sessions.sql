-- What the runs of a project share (N3): its folder, the engine sessions of one agent there; and which of those are to be deleted.

insert into office.setting_definitions (key, scopes, value_type, default_value, minimum, maximum, choices, meaning) values
  ('project_folders', '{office,workspace}', 'boolean', 'on', null, null, null,
    'the tasks of a project are worked on in its folder, where their executor names none (N3)'),
  ('linked_sessions', '{office,workspace}', 'boolean', 'on', null, null, null,
    'an agent''s first run on a task goes on in an idle engine session of its own, of the same project, engine and folder (N3)'),
  ('clean_sessions', '{office,workspace}', 'boolean', 'on', null, null, null,
    'engine sessions of agent sessions that have ended are deleted where they are kept (N3)');

alter table office_internal.gates
  add column project_folders boolean not null default true,
  add column linked_sessions boolean not null default true;
comment on column office_internal.gates.project_folders is 'The setting, as the dispatch last read it.';
comment on column office_internal.gates.linked_sessions is 'The setting, as the dispatch last read it.';

alter table office.agent_sessions add column link_id uuid;
comment on column office.agent_sessions.link_id
is 'The agent session whose engine session it went on in, or its own when others went on in its: their runs take turns (N3).';
-- squawk-ignore require-concurrent-index-creation
create index agent_sessions_linked on office.agent_sessions (task_id, agent_id) where link_id is not null and ended_at is null;
-- squawk-ignore require-concurrent-index-creation
create index agent_sessions_links on office.agent_sessions (link_id) where link_id is not null;
-- What an engine is named by may be longer than an index takes.
-- squawk-ignore require-concurrent-index-creation
create index agent_sessions_engine on office.agent_sessions (agent_id, md5(engine), used_at)
  where engine_session is not null and ended_at is null;

create table office.session_deletions (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null,
  session_id uuid not null,
  engine_session text not null,
  executor jsonb not null,
  host text not null,
  asked_at timestamptz not null,
  done_at timestamptz,
  outcome text check (outcome in ('deleted', 'not_there', 'unknown')),
  check ((done_at is null) = (outcome is null))
);
create index session_deletions_open on office.session_deletions (host) where done_at is null;
create index session_deletions_session on office.session_deletions (session_id);
comment on table office.session_deletions is 'Engine sessions of retired work, to be deleted on the host that keeps them (N3).';
comment on column office.session_deletions.id is 'Identity, time-ordered.';
comment on column office.session_deletions.workspace_id is 'Its workspace.';
comment on column office.session_deletions.session_id is 'The agent session that ended.';
comment on column office.session_deletions.engine_session is 'The engine''s own session id.';
comment on column office.session_deletions.executor is 'The executor that its last run was launched with.';
comment on column office.session_deletions.host is 'The host that this was on.';
comment on column office.session_deletions.asked_at is 'When its agent session ended.';
comment on column office.session_deletions.done_at is 'When its host''s worker was through with it; null: not yet.';
comment on column office.session_deletions.outcome
is 'deleted; not_there: there was nothing to delete; unknown: that engine''s sessions cannot be deleted.';
