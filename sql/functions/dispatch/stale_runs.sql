-- office_internal.stale_runs: the queued runs among these whose wakeups are all stale, and why (Q13.3, Q20). One row a run.
create or replace function office_internal.stale_runs(run_ids uuid[])
returns table (run_id uuid, cancel_reason text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select r.id, (array_agg(x.reason order by w.position))[1]
    from office.runs as r
    join office.wakeups as w on w.run_id = r.id
    left join office.tasks as t on t.id = r.task_id
    cross join lateral (
      select case
        when t.id is null or t.deleted_at is not null then 'task_not_found'
        when r.retry_count > 0 and w.addresses = 'assignee' and t.state = 'cancelled' then 'retry_task_cancelled'
        when t.archived_at is not null or (t.state = 'cancelled' and w.addresses <> 'mentioned')
          -- A message goes to the session, which outlives a task that is done (N1).
          or (t.state = 'done' and w.addresses not in ('mentioned', 'nobody')) then 'task_terminal'
        when w.addresses = 'assignee' and t.assignee_agent_id is distinct from r.agent_id
          then case when r.retry_count > 0 then 'retry_stale_assignee' else 'assignee_changed' end
        when w.addresses in ('reviewer', 'approver') and (
          not exists (
            select from office.task_participants as p
            where p.task_id = r.task_id and p.agent_id = r.agent_id and p.role = w.addresses
          )
          -- Or its round has passed.
          or (w.source = 'review_requested'
            and (w.payload ->> 'round')::numeric < t.review_round + case when t.state = 'in_review' then 0 else 1 end)
        ) then 'review_participant_changed'
      end as reason
    ) as x
    where r.id = any(run_ids) and r.task_id is not null and r.status is not distinct from 'queued'
    group by r.id
    having bool_and(x.reason is not null);
end
$$;

comment on function office_internal.stale_runs(uuid[]) is 'Queued runs of which nothing is wanted any more, with the reason.';
