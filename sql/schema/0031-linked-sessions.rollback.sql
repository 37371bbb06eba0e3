drop table office.session_deletions;
drop index office.agent_sessions_engine;
drop index office.agent_sessions_links;
drop index office.agent_sessions_linked;
alter table office.agent_sessions drop column link_id;
alter table office_internal.gates drop column linked_sessions, drop column project_folders;
delete from office.settings
where key in ('project_folders', 'linked_sessions', 'clean_sessions');
delete from office.setting_definitions
where key in ('project_folders', 'linked_sessions', 'clean_sessions');
