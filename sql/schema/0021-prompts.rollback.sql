drop table office.feedback;
delete from office_internal.changes
where kind = 'action';
alter table office_internal.changes drop column action;
alter table office_internal.changes drop constraint changes_kind_check;
alter table office_internal.changes
add constraint changes_kind_check check (kind in ('move_task', 'pause_agent'));
drop index office.inbox_items_of_agents;
drop index office.activity_noted;
drop index office.runs_succeeded;
drop table office.continuation_summaries;
