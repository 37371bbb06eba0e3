-- Documents of tasks: what people and agents write down for each other, read and written whole (X2).

create table office.task_documents (
  id uuid primary key default office.uuid7(),
  workspace_id uuid not null references office.workspaces (id),
  task_id uuid not null references office.tasks (id),
  name text not null check (name ~ '^[^[:cntrl:]]{1,200}$' and btrim(name) = name),
  body text not null check (length(body) <= 262144),
  version integer not null default 1 check (version > 0),
  written_by_account_id uuid references office.accounts (id),
  written_by_agent_id uuid references office.agents (id),
  attempt_id uuid,
  created_at timestamptz not null default office.now(),
  written_at timestamptz not null default office.now(),
  check (num_nonnulls(written_by_account_id, written_by_agent_id) = 1)
);
create unique index task_documents_name on office.task_documents (task_id, lower(name));
comment on table office.task_documents is 'Documents of tasks: read_document and write_document; prompts have their names only.';
comment on column office.task_documents.id is 'Identity, time-ordered.';
comment on column office.task_documents.workspace_id is 'Workspace of the task.';
comment on column office.task_documents.task_id is 'The task.';
comment on column office.task_documents.name is 'Name, one line of 1 to 200 characters, unique in its task, case aside.';
comment on column office.task_documents.body is 'Text, at most 262144 characters.';
comment on column office.task_documents.version is 'How often it has been written.';
comment on column office.task_documents.written_by_account_id is 'The account that wrote it last.';
comment on column office.task_documents.written_by_agent_id is 'The agent that wrote it last.';
comment on column office.task_documents.attempt_id is 'The attempt from inside which it was written last.';
comment on column office.task_documents.created_at is 'When it was written first.';
comment on column office.task_documents.written_at is 'When it was written last.';

insert into office.errors (code, status, retryable, meaning) values
  ('document_changed', 409, false, 'Somebody else has written the document since it was read.');
