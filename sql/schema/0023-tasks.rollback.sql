delete from office.settings
where key in ('recovery_lookback_hours', 'recovery_limit');
delete from office.setting_definitions
where key in ('recovery_lookback_hours', 'recovery_limit');
delete from office.errors
where code in ('blocker_cycle', 'not_in_review', 'already_reviewed', 'request_waits');
drop index office.tasks_unstarted;
drop index office.tasks_assigned;
create index tasks_actionable on office.tasks (assignee_agent_id)
  where state in ('todo', 'in_progress') and archived_at is null and deleted_at is null;
drop table office_internal.recovery_slots;
drop table office.channel_messages;
drop table office.channels;
delete from office_internal.changes
where kind = 'review_task';
drop function if exists office.complete_task(text, text, boolean);
alter table office_internal.changes drop column round;
alter table office_internal.changes drop constraint changes_kind_check;
alter table office_internal.changes
add constraint changes_kind_check check (kind in ('move_task', 'pause_agent', 'action'));
delete from office_internal.signals
where kind in ('task_in_review', 'task_returned', 'task_reviewed', 'task_reopened', 'task_staged', 'comment');
alter table office_internal.signals drop constraint signals_kind_check;
alter table office_internal.signals
add constraint signals_kind_check check (kind in ('wakeup', 'look', 'agent', 'setting', 'freed', 'resource', 'routine',
  'task_assigned', 'task_unassigned', 'task_started', 'task_closed', 'task_holds'));
delete from office.decisions
where round is not null or agent_id is null;
alter table office.decisions
drop column round,
alter column agent_id set not null;
drop table office.task_reviews;
alter table office.tasks
drop column review_round,
drop column wake_after_approval,
drop column requested_by_account_id,
drop column requested_by_node_id,
drop column peer_request_id,
drop column request_answer,
drop column request_note,
drop column request_answered_at;
drop table office_internal.blocker_guards;
