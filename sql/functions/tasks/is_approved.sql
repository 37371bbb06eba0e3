-- office_internal.is_approved: whether all have approved a task in this round of its review: a person where it requires that, and every
-- approver (T9). Reviewers advise.
create or replace function office_internal.is_approved(task office.tasks)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    not (task).requires_approval or exists (
      select from office.task_reviews as v
      where v.task_id = (task).id and v.round = (task).review_round and v.verdict = 'approved' and v.account_id is not null
    )
  ) and not exists (
    select
    from office.task_participants as p
    where p.task_id = (task).id and p.role = 'approver' and p.agent_id is distinct from (task).assignee_agent_id
      and not exists (
        select from office.task_reviews as v
        where v.task_id = p.task_id and v.round = (task).review_round and v.verdict = 'approved' and v.agent_id = p.agent_id
      )
  );
end
$$;

comment on function office_internal.is_approved(office.tasks) is 'True when a task has all approvals that it needs, in this round.';
