-- office_internal.follow_reviews: what is so with reviews after these signals (T5, T9), on committed state: who is asked for a verdict,
-- what the verdicts of a round come to, and whom a task that was sent back wakes. Answers the ids of the wakeups, which the caller
-- dispatches in the same breath. Rejections are held until the remaining reviewers of the round have answered; then the task goes back, by
-- change signal, and one wake carries them all. The last approval closes the task, or wakes the assignee to do so. The caller holds the
-- gates.
create or replace function office_internal.follow_reviews(signals office_internal.signals[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_tasks uuid[] := array(
    select distinct s.task_id
    from unnest(signals) as s
    where s.kind in ('task_in_review', 'task_reviewed', 'task_returned', 'task_closed', 'task_assigned', 'task_unassigned')
    union
    -- Whoever was deleted is waited for no longer.
    select p.task_id
    from unnest(signals) as s
    join office.agents as a on a.id = s.agent_id and a.deleted_at is not null
    join office.task_participants as p on p.agent_id = a.id
    join office.tasks as t on t.id = p.task_id and t.state = 'in_review'
    where s.kind = 'agent'
  );
  v_made uuid[];
  v_more uuid[];
begin
  if not exists (
    select from office.tasks as t where t.id = any(v_tasks) and t.review_round > 0
  ) then
    return '{}'::uuid[];
  end if;
  -- A review that is over asks nobody any more.
  update office.decisions as d
  set status = 'void', reason = 'Its review is over.'
  from office.tasks as t
  where t.id = any(v_tasks) and d.task_id = t.id and d.round is not null and d.status is not distinct from 'pending'
    and (t.state <> 'in_review' or t.review_round <> d.round or t.archived_at is not null or t.deleted_at is not null);
  update office.inbox_items as i
  set closed_at = office.now()
  from office.tasks as t
  where t.id = any(v_tasks) and i.task_id = t.id and i.kind = 'task.review' and i.closed_at is null
    and (t.state <> 'in_review' or i.dedup_key <> format('task.review:%s:%s', t.id, t.review_round));
  perform office_internal.ask_for_approvals(v_tasks);
  insert into office.inbox_items (workspace_id, kind, title, body, agent_id, task_id, dedup_key)
  select
    t.workspace_id, 'task.review', format('t%s waits for its approvers', t.number),
    format(
      '"%s" is done when %s have approved it. To do without them: select * from office.remove_participant(''t%s'', %L, ''approver'');',
      t.title, a.names, t.number, a.one
    ),
    t.assignee_agent_id, t.id, format('task.review:%s:%s', t.id, t.review_round)
  from office.tasks as t
  cross join lateral (
    select string_agg(g.name, ', ' order by g.name) as names, min(g.name) as one
    from office.task_participants as p
    join office.agents as g on g.id = p.agent_id
    where p.task_id = t.id and p.role = 'approver' and p.agent_id is distinct from t.assignee_agent_id
  ) as a
  where t.id = any(v_tasks) and t.state = 'in_review' and not t.requires_approval and office_internal.needs_approval(t)
    and t.archived_at is null and t.deleted_at is null
  on conflict do nothing;
  with asked as (
    select
      t.*, p.agent_id as reviewer_id, p.role,
      (select max(s.depth) from unnest(signals) as s where s.task_id = t.id) as depth
    from office.tasks as t
    join lateral (
      select q.agent_id, min(q.role) as role
      from office.task_participants as q
      join office.agents as g on g.id = q.agent_id and g.deleted_at is null
      where q.task_id = t.id
      group by q.agent_id
    ) as p on p.agent_id is distinct from t.assignee_agent_id
    where t.id = any(v_tasks) and t.state = 'in_review' and office_internal.is_woken_for(t.id)
      and not exists (
        select from office.task_reviews as v where v.task_id = t.id and v.round = t.review_round and v.agent_id = p.agent_id
      )
  ),
  made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, requested_at
    )
    select
      k.workspace_id, k.reviewer_id, 'review_requested', 'event', k.role, k.id,
      jsonb_build_object('task_id', k.id, 'role', k.role, 'round', k.review_round),
      format('review_requested:%s:%s:%s', k.id, k.review_round, k.reviewer_id), coalesce(k.depth, 0), office.now()
    from asked as k
    order by k.id, k.reviewer_id
    on conflict do nothing
    returning id
  )
  select array_agg(made.id) into v_made from made;
  -- What a round comes to, once nobody is waited for. A person need not answer what others have sent back.
  with judged as materialized (
    select
      t.*, v.rejected, l.account_id as by_account_id, l.agent_id as by_agent_id, l.attempt_id as by_attempt_id,
      (select max(s.depth) from unnest(signals) as s where s.task_id = t.id) as depth
    from office.tasks as t
    cross join lateral (
      select bool_or(r.verdict = 'rejected') as rejected
      from office.task_reviews as r
      where r.task_id = t.id and r.round = t.review_round
    ) as v
    join lateral (
      select r.* from office.task_reviews as r where r.task_id = t.id and r.round = t.review_round order by r.id desc limit 1
    ) as l on true
    where t.id = any(v_tasks) and t.state = 'in_review' and t.archived_at is null and t.deleted_at is null
      and (v.rejected or office_internal.is_approved(t))
      and not exists (
        select
        from office.task_participants as p
        join office.agents as g on g.id = p.agent_id and g.deleted_at is null
        where p.task_id = t.id and p.agent_id is distinct from t.assignee_agent_id
          and not exists (
            select from office.task_reviews as r where r.task_id = t.id and r.round = t.review_round and r.agent_id = p.agent_id
          )
      )
      and not exists (select from office_internal.changes as c where c.task_id = t.id and c.kind = 'move_task')
  ),
  moved as (
    insert into office_internal.changes (workspace_id, kind, task_id, from_state, to_state, account_id, agent_id, attempt_id)
    select
      j.workspace_id, 'move_task', j.id, 'in_review', case when j.rejected then 'in_progress' else 'done' end,
      j.by_account_id, j.by_agent_id, j.by_attempt_id
    from judged as j
    where j.rejected or not j.wake_after_approval or j.assignee_agent_id is null
    order by j.id
  ),
  made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, account_id, attempt_id, requested_at
    )
    select
      j.workspace_id, j.assignee_agent_id, 'ready_to_close', 'event', 'assignee', j.id, jsonb_build_object('task_id', j.id),
      format('ready_to_close:%s:%s', j.id, j.review_round), coalesce(j.depth, 0), j.by_account_id, j.by_attempt_id, office.now()
    from judged as j
    where not j.rejected and j.wake_after_approval and j.assignee_agent_id is not null and office_internal.is_woken_for(j.id)
    order by j.id
    on conflict do nothing
    returning id
  )
  select array_agg(made.id) into v_more from made;
  v_made := v_made || v_more;
  -- Sent back: with its round's rejections, or with what a person has said since, or as work that goes on.
  with returned as (
    select distinct on (t.id)
      t.*, s.event_id, s.account_id as by_account_id, s.attempt_id as by_attempt_id, s.depth,
      (
        select coalesce(jsonb_agg(r.comment_id order by r.id) filter (where r.comment_id is not null), '[]')
        from office.task_reviews as r
        where r.task_id = t.id and r.round = t.review_round and r.verdict = 'rejected'
        having count(*) > 0
      ) as rejections,
      (
        select c.id
        from office.comments as c
        where c.task_id = t.id and c.author_agent_id is distinct from t.assignee_agent_id
          and c.created_at >= (
            select max(v.at) from office.activity as v
            where v.task_id = t.id and v.kind = 'task_moved' and v.detail ->> 'to' = 'in_review'
          )
        order by c.created_at desc, c.id desc
        limit 1
      ) as comment_id
    from unnest(signals) as s
    join office.tasks as t on t.id = s.task_id
    where s.kind = 'task_returned' and t.state = 'in_progress' and t.assignee_agent_id is not null and office_internal.is_woken_for(t.id)
      and (s.attempt_id is null or t.assignee_agent_id is distinct from office_internal.agent_of_attempt(s.attempt_id))
    order by t.id, s.id desc
  ),
  made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, account_id, attempt_id, requested_at
    )
    select
      r.workspace_id, r.assignee_agent_id, w.source, 'event', 'assignee', r.id, w.payload, w.key, r.depth, r.by_account_id,
      r.by_attempt_id, office.now()
    from returned as r
    cross join lateral (
      select
        'changes_requested' as source,
        jsonb_build_object('task_id', r.id, 'round', r.review_round, 'comment_ids', r.rejections) as payload,
        format('changes_requested:%s:%s', r.id, r.review_round) as key
      where r.rejections is not null
      union all
      select
        'comment', jsonb_build_object('task_id', r.id, 'comment_id', r.comment_id),
        format('comment:%s:move:%s', r.comment_id, r.event_id)
      where r.rejections is null and r.comment_id is not null
      union all
      select
        'task_assigned', jsonb_build_object('task_id', r.id),
        format('task_assigned:%s:%s:move:%s', r.id, r.assignee_agent_id, r.event_id)
      where r.rejections is null and r.comment_id is null
    ) as w
    order by r.id
    on conflict do nothing
    returning id
  )
  select array_agg(made.id) into v_more from made;
  return coalesce(v_made || v_more, '{}');
end
$$;

comment on function office_internal.follow_reviews(office_internal.signals[]) is 'Follows the reviews of tasks; answers the wakeups made.';
