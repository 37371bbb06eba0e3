-- squawk-ignore ban-drop-function
drop function if exists office.create_task(text, text, text, text, text, text[], text, text, boolean, jsonb, text, text);
-- squawk-ignore ban-drop-function
drop function if exists office_internal.usual_executor(uuid, uuid);
-- squawk-ignore ban-drop-function
drop function if exists office.create_profile(text, jsonb, text, text, text, integer, text[], text[]);
alter table office.attempts drop column executor_id;
drop table office.run_choices;
drop table office.profile_choices;
delete from office.profiles
where executor is null;
alter table office.profiles drop column tiers, drop column context_window, drop column thinking_level;
alter table office.profiles alter column executor set not null;
