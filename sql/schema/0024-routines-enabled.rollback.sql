-- squawk-ignore ban-drop-function
drop function if exists office_internal.setting(text, uuid, uuid);
delete from office.settings
where key = 'routines_enabled';
delete from office.setting_definitions
where key = 'routines_enabled';
