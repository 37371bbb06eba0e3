alter table office.runs drop column session_id;
drop table office.permission_rules;
alter type office.decision_reference drop attribute operation;
drop index office.decisions_once;
alter table office.decisions
  drop column spent_at, drop column rule_id, drop column checkpoint_id, drop column tree, drop column operation_digest,
  drop column operation;
create unique index decisions_once on office.decisions (attempt_id, fingerprint) where fingerprint is not null and status <> 'void';
drop table office.receipts;
drop table office.checkpoints;
drop function if exists office.abandoned_attempts(text);
drop function if exists office.claim_runs(uuid, integer);
alter type office_internal.launch drop attribute steps;
alter type office_internal.launch drop attribute launch;
alter table office.attempts drop column launch;
