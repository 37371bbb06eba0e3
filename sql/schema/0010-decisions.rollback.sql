delete from office.errors
where code in ('already_answered', 'request_ended', 'request_expired', 'request_void', 'too_many');
delete from office.settings
where key = 'overflow_after_minutes';
delete from office.setting_definitions
where key = 'overflow_after_minutes';
alter table office_internal.gates drop column extra_run_used;
alter table office.agents drop column can_approve;
alter table office.attempts drop column left_at;
drop type office.decision_reference;
drop table office.decisions;
