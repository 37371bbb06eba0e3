delete from office.errors
where code = 'session_ended';
alter table office.runs drop constraint runs_parked_check;
drop index office.runs_session_turn, office.runs_session_live, office.runs_messages;
alter table office.runs drop column continues_run_id, drop column queue_position, drop column session_id;
alter table office.runs
add constraint runs_parked_check
check (parked in ('retry', 'window', 'snooze', 'blocker', 'checkout', 'resource', 'provider', 'budget')) not valid;
alter table office.runs validate constraint runs_parked_check;
drop type office.session_reference;
drop table office.agent_sessions;
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
