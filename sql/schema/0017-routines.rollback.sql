delete from office_internal.signals
where kind = 'routine';
alter table office_internal.signals drop constraint signals_kind_check;
alter table office_internal.signals
add constraint signals_kind_check check (kind in ('wakeup', 'look', 'agent', 'setting', 'freed', 'resource',
  'task_assigned', 'task_unassigned', 'task_started', 'task_closed', 'task_holds'));
drop table office.routine_runs;
drop table office_internal.trigger_secrets;
drop table office.routine_triggers;
drop table office.routines;
drop type office.trigger_reference;
drop type office.routine_reference;
delete from office.errors
where code in (
  'routine_inactive', 'trigger_disabled', 'bad_variables', 'bad_signature', 'bad_body', 'body_too_large', 'too_many_attempts'
);
