-- Checks know from where, and into which stage, their task was to move: a pass moves only what is still there (T15).

alter table office.task_checks
add column from_state text,
add column stage_id uuid;
comment on column office.task_checks.from_state
is 'State of its task when it was asked for; it is dropped when that has moved since; null: not known.';
comment on column office.task_checks.stage_id is 'The stage that was named; null: that of its target.';

-- squawk-ignore ban-drop-constraint
alter table office.task_checks drop constraint task_checks_status_check;
alter table office.task_checks
-- squawk-ignore constraint-missing-not-valid
add constraint task_checks_status_check check (status in ('requested', 'running', 'passed', 'failed', 'used', 'dropped'));
comment on column office.task_checks.status
is 'requested, running, passed, failed; used: the move that it was for is made; dropped: nobody waits for it any more.';
