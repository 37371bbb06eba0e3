-- What a fire of a routine stores, made before it is stored: many at once (R12).

create type office_internal.fire as (run office.routine_runs, task office.tasks, wakeup office.wakeups);
comment on type office_internal.fire is 'A fire of a routine: its routine run, and the task and the wakeup that it leaves, or nulls.';
comment on column office_internal.fire.run is 'The routine run.';
comment on column office_internal.fire.task is 'The task; nulls: none.';
comment on column office_internal.fire.wakeup is 'The wakeup; nulls: none, or the task''s own.';
