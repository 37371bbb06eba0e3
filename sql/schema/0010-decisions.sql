-- Decisions: all that a person decides is one table (D1); what an attempt needs to wait for one and to go on (D9), and the extra run
-- that a workspace may start while one waits (S2).

create table office.decisions (
  id uuid primary key default office.uuid7(),
  number bigint generated always as identity,
  workspace_id uuid not null,
  kind text not null check (kind in ('approval', 'question', 'permission', 'publish', 'interrupted')),
  subject text check (subject in ('hire', 'budget_increase', 'board', 'task_review', 'skill')),
  agent_id uuid not null,
  task_id uuid,
  run_id uuid,
  attempt_id uuid,
  prompt text not null check (length(prompt) between 1 and 8000),
  choices jsonb not null check (jsonb_typeof(choices) = 'array'),
  fingerprint bytea,
  status text not null default 'pending' check (status in ('pending', 'answered', 'expired', 'void')),
  reason text,
  choice text,
  note text check (length(note) <= 2000),
  asked_at timestamptz not null,
  expires_at timestamptz,
  on_expire text not null default 'go_on' check (on_expire in ('go_on', 'fail')),
  decided_at timestamptz,
  decided_by_account_id uuid,
  decided_by_agent_id uuid,
  through text check (through in ('web', 'phone', 'cli', 'node', 'sql')),
  told_at timestamptz,
  check ((subject is not null) = (kind = 'approval')),
  check ((kind = 'approval') or (run_id is not null and attempt_id is not null)),
  check ((status = 'pending') = (decided_at is null)),
  check ((status = 'answered') = (choice is not null))
) with (fillfactor = 80);
create unique index decisions_number on office.decisions (number);
-- Asking the same thing twice for one attempt gives the first row; what is void may be asked again.
create unique index decisions_once on office.decisions (attempt_id, fingerprint) where fingerprint is not null and status <> 'void';
create index decisions_pending on office.decisions (workspace_id, asked_at) where status = 'pending';
create index decisions_open_attempt on office.decisions (attempt_id) where status = 'pending';
create index decisions_untold on office.decisions (attempt_id)
  where status <> 'pending' and told_at is null and kind in ('question', 'permission', 'publish');
create index decisions_expiry on office.decisions (expires_at) where status = 'pending' and expires_at is not null;
create index decisions_run on office.decisions (run_id) where run_id is not null;
comment on table office.decisions
is 'What people decide. No foreign key leads to runs or attempts: whoever deletes those closes what they had asked (D4).';
comment on column office.decisions.id is 'Identity, time-ordered.';
comment on column office.decisions.number is 'Number for people: d12.';
comment on column office.decisions.workspace_id is 'Its workspace.';
comment on column office.decisions.kind
is 'approval, question, permission, publish (an agent asks), or interrupted (a run whose worker died: what now).';
comment on column office.decisions.subject is 'What an approval is about: hire, budget_increase, board, task_review or skill.';
comment on column office.decisions.agent_id is 'The agent that asked, or whose run was interrupted.';
comment on column office.decisions.task_id is 'The task it is about.';
comment on column office.decisions.run_id is 'The run that it comes from.';
comment on column office.decisions.attempt_id is 'The attempt that it comes from.';
comment on column office.decisions.prompt is 'What is asked, 1 to 8000 characters.';
comment on column office.decisions.choices is 'What can be answered: [{"id": "yes", "text": "Yes"}, …].';
comment on column office.decisions.fingerprint is 'What makes two requests of one attempt the same.';
comment on column office.decisions.status
is 'pending; answered; expired: its time passed or its work ended; void: it no longer applies.';
comment on column office.decisions.reason is 'Why it was closed without an answer.';
comment on column office.decisions.choice is 'Id of the choice that was taken.';
comment on column office.decisions.note is 'What was said with it, at most 2000 characters.';
comment on column office.decisions.asked_at is 'When it was asked.';
comment on column office.decisions.expires_at is 'It counts as expired from then on; null: it waits for ever.';
comment on column office.decisions.on_expire is 'What its run does when its time has passed: go_on or fail.';
comment on column office.decisions.decided_at is 'When it was answered or closed.';
comment on column office.decisions.decided_by_account_id is 'Account that answered.';
comment on column office.decisions.decided_by_agent_id is 'Agent that answered.';
comment on column office.decisions.through is 'Through what it was answered: web, phone, cli, node or sql.';
comment on column office.decisions.told_at is 'When the program that asked was told.';

create type office.decision_reference as (
  decision_id uuid, decision text, kind text, status text, open boolean, choice text, note text, reason text, run text, run_status text
);
comment on type office.decision_reference is 'A decision as it is after the call, and how its run stands.';
comment on column office.decision_reference.decision_id is 'Its id.';
comment on column office.decision_reference.decision is 'Its number: d12.';
comment on column office.decision_reference.kind is 'Its kind.';
comment on column office.decision_reference.status is 'Its status.';
comment on column office.decision_reference.open is 'It still waits for an answer.';
comment on column office.decision_reference.choice is 'The choice that was taken.';
comment on column office.decision_reference.note is 'What was said with it.';
comment on column office.decision_reference.reason is 'Why it was closed without an answer.';
comment on column office.decision_reference.run is 'Its run.';
comment on column office.decision_reference.run_status is 'That run''s status.';

alter table office.attempts add column left_at timestamptz;
comment on column office.attempts.left_at
is 'Since when it has no program while it lives: that ended, or died with its worker, before an answer came (D9).';

alter table office.agents add column can_approve boolean not null default false;
comment on column office.agents.can_approve is 'It may answer decisions of its workspace that it did not ask itself (D5).';

alter table office_internal.gates add column extra_run_used boolean not null default false;
comment on column office_internal.gates.extra_run_used
is 'The one run more than slots has started; it is not given again until fewer than slots are active (S2).';

insert into office.setting_definitions (key, scopes, value_type, default_value, minimum, maximum, choices, meaning) values
  ('overflow_after_minutes', '{office,workspace}', 'integer', '60', 1, 10080, null,
    'a question or publishing approval that waits so long lets one extra run start (S2)');
insert into office.errors (code, status, retryable, meaning) values
  ('already_answered', 409, false, 'The decision was answered before; the answer that stands is in the detail.'),
  ('request_ended', 409, false, 'The decision closed when the work that asked for it ended.'),
  ('request_expired', 409, false, 'The decision''s time passed before an answer came.'),
  ('request_void', 409, false, 'The decision no longer applies.'),
  ('too_many', 409, false, 'There are as many of these as there may be.');
