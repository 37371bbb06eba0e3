-- office.stuck: what waits longer than it should or cannot go on by itself, the oldest first, with the SQL that mends it (I4).
create view office.stuck with (security_invoker = true) as
select h.kind, h.subject, h.workspace, h.since, h.reason, h.mend
from office.held_up() as h
order by h.since, h.subject;

comment on view office.stuck is 'What waits longer than it should or cannot go on by itself, and what mends it.';
comment on column office.stuck.kind is 'In which way: needs a person, not dispatched, no worker, paused, stopping, ….';
comment on column office.stuck.subject is 'The run, task, agent, workspace or worker.';
comment on column office.stuck.workspace is 'Its workspace; null: it is of no one workspace.';
comment on column office.stuck.since is 'Since when.';
comment on column office.stuck.reason is 'What is so.';
comment on column office.stuck.mend is 'The SQL or command that mends it.';
