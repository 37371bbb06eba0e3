-- office_internal.needs_approval: whether a task is done only after an approval (T9): a person's, or that of its approvers. Nobody
-- approves its own work: an approver that it is assigned to does not count.
create or replace function office_internal.needs_approval(task office.tasks)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (task).requires_approval or exists (
    select from office.task_participants as p
    where p.task_id = (task).id and p.role = 'approver' and p.agent_id is distinct from (task).assignee_agent_id
  );
end
$$;

comment on function office_internal.needs_approval(office.tasks) is 'True for a task that somebody must approve.';
