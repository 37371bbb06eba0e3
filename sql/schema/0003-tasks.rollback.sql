drop table office.comments;
drop table office.task_participants;
drop table office.task_blockers;
drop table office.tasks;
