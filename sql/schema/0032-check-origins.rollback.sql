update office.task_checks set status = 'failed'
where status = 'dropped';
-- squawk-ignore ban-drop-constraint
alter table office.task_checks drop constraint task_checks_status_check;
-- squawk-ignore constraint-missing-not-valid
alter table office.task_checks
add constraint task_checks_status_check check (status in ('requested', 'running', 'passed', 'failed', 'used'));
alter table office.task_checks drop column from_state, drop column stage_id;
