-- squawk-ignore ban-drop-function
drop function if exists office.create_project(text, text, text, jsonb, text, text, jsonb);
delete from office.errors
where code in ('check_needed', 'check_superseded');
delete from office.settings
where key in ('check_minutes', 'max_check_rounds');
delete from office.setting_definitions
where key in ('check_minutes', 'max_check_rounds');
delete from office.wakeup_fields
where source = 'changes_requested' and field = 'check_id';
drop table office.task_checks;
alter table office.stages drop column check_command;
alter table office.projects drop column check_command;
