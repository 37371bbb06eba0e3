delete from office_internal.signals
where kind in ('freed', 'resource');
alter table office_internal.signals drop constraint signals_kind_check;
alter table office_internal.signals drop column key;
alter table office_internal.signals
add constraint signals_kind_check check (kind in ('wakeup', 'look', 'agent', 'setting',
  'task_assigned', 'task_unassigned', 'task_started', 'task_closed', 'task_holds'));
comment on column office_internal.signals.kind
is 'What changed: a wakeup came; look again; an agent, a setting; a task assigned, taken away, started, closed, held or freed.';
drop table office_internal.resource_waits;
drop table office.resources;
drop table office_internal.shared;
