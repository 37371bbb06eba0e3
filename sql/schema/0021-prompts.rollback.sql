drop index office.inbox_items_of_agents;
drop index office.activity_noted;
drop index office.runs_succeeded;
drop table office.continuation_summaries;
