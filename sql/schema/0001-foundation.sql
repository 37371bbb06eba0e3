-- The ground everything stands on: two schemas, two clocks, ids, error codes, and the record of the deployment.

create schema if not exists office;
comment on schema office is 'officectl''s public face: tables to read, views, functions. Begin with: select * from office.help();';

create schema if not exists office_internal;
comment on schema office_internal is 'officectl''s own rooms: gates, lanes, signals and helpers. Granted to nobody.';

-- Column defaults need these names now; sql/functions/core gives them their bodies on every deploy.
create function office.now() returns timestamptz language sql stable parallel safe return pg_catalog.now();
create function office.uuid7() returns uuid language sql volatile parallel safe return pg_catalog.gen_random_uuid();

create table office_internal.deployment (
  singleton boolean primary key default true check (singleton),
  version text not null,
  digest text not null,
  role_prefix text not null,
  single_role boolean not null,
  migrating boolean not null default false,
  deployed_at timestamptz not null default office.now()
);
comment on table office_internal.deployment is 'What is deployed here; one row. While migrating is true claims answer schema_changed.';
comment on column office_internal.deployment.singleton is 'Always true: there is one row.';
comment on column office_internal.deployment.version is 'Version of officectl that deployed last.';
comment on column office_internal.deployment.digest is 'sha256 over all SQL files of that version.';
comment on column office_internal.deployment.role_prefix is 'First word of the four roles'' names.';
comment on column office_internal.deployment.single_role is 'True when the owner stands for all four roles.';
comment on column office_internal.deployment.migrating is 'True between the start of a deploy''s migrations and its last statement.';
comment on column office_internal.deployment.deployed_at is 'When it was deployed.';

create table office.errors (
  code text primary key,
  status integer not null check (status in (400, 401, 403, 404, 409, 413, 422, 429, 503)),
  retryable boolean not null default false,
  meaning text not null
);
comment on table office.errors is 'Every refusal an office function can give. SQLSTATE is PT and the status; DETAIL is JSON with the code.';
comment on column office.errors.code is 'Stable name, also in DETAIL of the error.';
comment on column office.errors.status is 'HTTP status of the same meaning; SQLSTATE is PT followed by it.';
comment on column office.errors.retryable is 'True when the same call may succeed later without a change.';
comment on column office.errors.meaning is 'What it says, in one sentence.';

insert into office.errors (code, status, retryable, meaning) values
  ('no_identity', 401, false, 'The login is not known to this office.'),
  ('bad_token', 401, false, 'The token is unknown, was revoked, or its attempt has ended.'),
  ('forbidden', 403, false, 'The caller may not do this.'),
  ('not_found', 404, false, 'No such thing, or none that the caller can see.'),
  ('ambiguous', 422, false, 'More than one thing is meant; name the workspace.'),
  ('missing', 422, false, 'A required field is missing.'),
  ('invalid', 422, false, 'A value has the wrong type, form or range.'),
  ('unknown_field', 422, false, 'A field that nothing knows.'),
  ('unknown_source', 422, false, 'No such wakeup source.'),
  ('no_executor', 422, false, 'Neither the task, the agent, its project nor its workspace names an executor.'),
  ('reserved_key', 422, false, 'Idempotency keys of this form are made by the system only.'),
  ('name_taken', 409, false, 'The name is in use.'),
  ('move_refused', 409, false, 'The state machine does not allow this move.'),
  ('attempt_superseded', 409, false, 'The attempt is no longer its run''s live attempt.'),
  ('already_ended', 409, false, 'The attempt has ended otherwise; the outcome that stands is in the detail.'),
  ('worker_expired', 409, false, 'The worker lost its lease; its runs were settled.'),
  ('worker_draining', 409, false, 'The worker is shutting down and claims nothing.'),
  ('isolation', 409, false, 'A gate function needs READ COMMITTED.'),
  ('schema_changed', 409, true, 'A deploy is under way, or the worker is older than the database.'),
  ('conflict', 409, false, 'The row is not in the state that this needs.');
