drop index office_internal.changes_pause;
delete from office_internal.changes
where kind = 'pause_agent';
alter table office_internal.changes drop column reason;
alter table office_internal.changes drop constraint changes_kind_check;
alter table office_internal.changes
add constraint changes_kind_check check (kind in ('move_task')) not valid;
alter table office_internal.changes validate constraint changes_kind_check;
alter table office_internal.lanes drop column gave_up;
alter table office.agents drop column auto_pause_after;
delete from office.settings
where key in ('attempt_turns', 'attempt_tool_calls', 'auto_pause_after');
drop type office_internal.said_limit cascade;
drop index office.attempt_steps_model;
drop table office_internal.limits_reached;
delete from office.setting_definitions
where key in ('attempt_turns', 'attempt_tool_calls', 'auto_pause_after');
drop index office.runs_wait_for_provider;
drop table office.provider_holds;
drop table office.provider_limits;
alter table office.executors drop column model, drop column provider;
