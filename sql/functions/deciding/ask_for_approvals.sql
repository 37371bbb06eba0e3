-- office_internal.ask_for_approvals: one open decision for each of these tasks that is in review and requires a person's approval, once a
-- round (T9); it is the inbox item. A person who has given a verdict already is not asked. The caller holds the gates.
create or replace function office_internal.ask_for_approvals(task_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office.decisions (id, workspace_id, kind, subject, agent_id, task_id, round, prompt, choices, asked_at)
  select
    office.uuid7(), t.workspace_id, 'approval', 'task_review', t.assignee_agent_id, t.id, t.review_round,
    format('Is t%s done? "%s"', t.number, t.title) || coalesce(E'\n\n' || left(c.body, 4000), ''),
    '[{"id": "approved", "text": "Approve"}, {"id": "rejected", "text": "Send back"}]', office_internal.wall_clock()
  from office.tasks as t
  left join lateral (
    select m.body
    from office.comments as m
    where m.task_id = t.id and m.author_agent_id = t.assignee_agent_id
    order by m.created_at desc, m.id desc
    limit 1
  ) as c on true
  where t.id = any(task_ids) and t.state = 'in_review' and t.requires_approval and t.archived_at is null and t.deleted_at is null
    and not exists (select from office.decisions as d where d.task_id = t.id and d.round = t.review_round)
    and not exists (
      select from office.task_reviews as v where v.task_id = t.id and v.round = t.review_round and v.account_id is not null
    )
  on conflict do nothing;
end
$$;

comment on function office_internal.ask_for_approvals(uuid[]) is 'Asks people about tasks in review that require it.';
