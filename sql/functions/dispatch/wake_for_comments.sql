-- office_internal.wake_for_comments: the wakes that comments entail, stored as wakeups; answers their ids (T7): the assignee, unless it
-- wrote it or the task is closed; and every agent mentioned as @name, case aside, on closed tasks as well; never the author. What was said
-- with a verdict reaches the assignee by the review (T9). The caller holds the gates and dispatches them in the same breath.
create or replace function office_internal.wake_for_comments(signals office_internal.signals[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_made uuid[];
begin
  with said as materialized (
    select
      s.id as signal_id, s.account_id, s.attempt_id, s.depth, c.id as comment_id, c.body, c.author_agent_id,
      t.id as task_id, t.workspace_id, t.assignee_agent_id, office_internal.is_closed(t) as closed,
      jsonb_build_object('task_id', t.id, 'comment_id', c.id) as payload
    from unnest(signals) as s
    join office.comments as c on c.id = s.event_id
    join office.tasks as t on t.id = c.task_id
    where s.kind = 'comment' and t.archived_at is null and t.deleted_at is null
      and (
        t.project_id is not null
        or t.workflow_id = (select w.office_workflow_id from office.workspaces as w where w.id = t.workspace_id)
      )
  ),
  meant as (
    select s.*, s.assignee_agent_id as agent_id, 'assignee' as addresses, format('comment:%s', s.comment_id) as key
    from said as s
    where s.assignee_agent_id is distinct from s.author_agent_id and s.assignee_agent_id is not null and not s.closed
      and office_internal.is_woken_for(s.task_id)
      and not exists (select from office.task_reviews as v where v.comment_id = s.comment_id)
    union all
    select s.*, a.id, 'mentioned', format('comment:%s:%s', s.comment_id, a.id)
    from said as s
    join office.agents as a on a.workspace_id = s.workspace_id and a.deleted_at is null
    where a.id is distinct from s.author_agent_id and (s.closed or a.id is distinct from s.assignee_agent_id)
      and position('@' in s.body) > 0
      and s.body ~* ('(^|[^[:alnum:]_@])@' || regexp_replace(a.name, '([^[:alnum:]_])', '\\\1', 'g')
        || '($|[^[:alnum:]_.-]|[.-]($|[^[:alnum:]_]))')
  ),
  made as (
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, account_id, attempt_id, requested_at
    )
    select
      m.workspace_id, m.agent_id, 'comment', 'event', m.addresses, m.task_id, m.payload, m.key, m.depth, m.account_id, m.attempt_id,
      office.now()
    from meant as m
    order by m.signal_id, m.addresses, m.agent_id
    on conflict do nothing
    returning id
  )
  select array_agg(made.id) into v_made from made;
  return coalesce(v_made, '{}');
end
$$;

comment on function office_internal.wake_for_comments(office_internal.signals[]) is 'Stores the wakes that comments entail.';
