-- office_internal.is_closed: whether a task has ended, in any way: done, cancelled, archived or deleted.
create or replace function office_internal.is_closed(task office.tasks)
returns boolean
language sql immutable parallel safe
return (task).state in ('done', 'cancelled') or (task).archived_at is not null or (task).deleted_at is not null;

comment on function office_internal.is_closed(office.tasks) is 'True for a task that has ended.';
