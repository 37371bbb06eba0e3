-- office_internal.write_summaries: what these runs hand on to the next of their scope (C4, C5): four sections, the same text for the same
-- data. Of several of one scope each builds on the one before. Done again for the run that left a summary, it starts from what stood
-- before that. Counts stop at a hundred: they cost the same however much has happened. Each line has its share of the 8 KB.
-- The caller holds the gates.
create or replace function office_internal.write_summaries(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  -- As a variable, so that no index of all open tasks is walked for a workspace's.
  v_open constant text[] := array['todo', 'in_progress'];
  v_rounds integer;
begin
  select max(n.runs) into v_rounds
  from (
    select count(*) as runs
    from office.runs as r
    where r.id = any(run_ids) and r.task_id is null and r.outcome is not distinct from 'succeeded'
    group by r.agent_id, r.routine_id
  ) as n;
  for v_round in 1..coalesce(v_rounds, 0) loop
    with due as materialized (
      select
        d.*,
        case when s.updated_by_run_id = d.id then s.previous_content else s.content end as before,
        case when s.updated_by_run_id = d.id then s.previous_at else s.updated_at end as before_at,
        x.said, x.next_action, x.decisions
      from (
        select
          r.id, r.number, r.workspace_id, r.agent_id, r.routine_id, r.attempt_id, r.ended_at,
          coalesce('routine:' || r.routine_id, 'agent:' || r.agent_id) as scope,
          row_number() over (partition by r.agent_id, r.routine_id order by r.ended_at, r.number) as nth
        from office.runs as r
        where r.id = any(run_ids) and r.task_id is null and r.outcome is not distinct from 'succeeded'
      ) as d
      join office.attempts as a on a.id = d.attempt_id
      left join lateral (
        -- By its key, also where this was planned while there was none yet.
        select s.* from office.continuation_summaries as s where s.agent_id = d.agent_id and s.scope = d.scope limit 1
      ) as s on true
      cross join lateral (
        select
          coalesce(
            case when jsonb_typeof(a.result -> 'summary') = 'string' then office_internal.summary_line(a.result ->> 'summary', 2600) end,
            case when jsonb_typeof(a.result -> 'result') = 'string' then office_internal.summary_line(a.result ->> 'result', 2600) end,
            case when jsonb_typeof(a.result -> 'message') = 'string' then office_internal.summary_line(a.result ->> 'message', 2600) end,
            case when jsonb_typeof(a.result -> 'error') = 'string' then office_internal.summary_line(a.result ->> 'error', 2600) end
          ) as said,
          case when jsonb_typeof(a.result -> 'next_action') = 'string'
            then office_internal.summary_line(a.result ->> 'next_action', 500) end as next_action,
          case when jsonb_typeof(a.result -> 'decisions') = 'array' then a.result -> 'decisions' end as decisions
      ) as x
      where d.nth = v_round
    ),
    counted as materialized (
      select
        d.*, c.since, f.failed, f.own_failed, e.errors, e.budgets,
        (
          select count(*)
          from (
            select
            from office.runs as r
            where r.workspace_id = d.workspace_id and r.outcome = 'succeeded' and r.ended_at > c.since and r.ended_at <= d.ended_at
              and r.id <> d.id
            limit 100
          ) as n
        ) as succeeded,
        (
          select string_agg(n.line, E'\n' order by n.at desc, n.place desc)
          from (
            select
              d.ended_at as at, k.place,
              '- ' || to_char(d.ended_at at time zone 'UTC', 'YYYY-MM-DD') || ': ' || office_internal.summary_line(
                case when jsonb_typeof(k.item) = 'string' then k.item #>> '{}' else k.item ->> 'decision' end, 300
              ) as line
            from jsonb_array_elements(d.decisions) with ordinality as k (item, place)
            union all
            (
              -- In the order of the index that is meant.
              select
                v.at, 0, '- ' || to_char(v.at at time zone 'UTC', 'YYYY-MM-DD') || ': '
                || office_internal.summary_line(v.detail ->> 'decision', 300)
              from office.activity as v
              join office.runs as r on r.id = v.run_id
              where v.agent_id = d.agent_id and v.kind = 'decision_noted' and v.at > c.since and v.at <= d.ended_at
                and r.task_id is null and r.routine_id is not distinct from d.routine_id
              order by v.at desc
              limit 5
            )
            order by at desc, place desc
            limit 5
          ) as n
        ) as decided,
        (
          select string_agg(b.line, E'\n' order by b.since desc, b.number desc)
          from (
            select
              t.number, m.since,
              office_internal.summary_line(format(
                '- t%s %s, since %s; %s', t.number, to_jsonb(left(t.title, 80)), to_char(m.since at time zone 'UTC', 'YYYY-MM-DD'),
                coalesce(
                  'waits for ' || (
                    select string_agg('t' || k.number || ', ' || k.state, '; ' order by k.number)
                    from office.task_blockers as b
                    join office.tasks as k on k.id = b.blocker_task_id
                    where b.task_id = t.id and not office_internal.is_closed(k)
                  ),
                  'waits for an answer to ' || (
                    select string_agg('d' || q.number, ', ' order by q.number)
                    from office.decisions as q
                    where q.workspace_id = d.workspace_id and q.task_id = t.id and q.status = 'pending'
                  ),
                  'somebody must say how it goes on'
                )
              ), 300) as line
            from office.tasks as t
            join office.agents as g on g.id = t.assignee_agent_id and g.workspace_id = d.workspace_id
            cross join lateral (
              select coalesce((
                select v.at
                from office.activity as v
                where v.task_id = t.id and v.kind = 'task_moved' and v.detail ->> 'to' = 'blocked'
                order by v.at desc
                limit 1
              ), t.created_at) as since
            ) as m
            where t.workspace_id = d.workspace_id and t.state = 'blocked' and t.archived_at is null and t.deleted_at is null
            order by m.since desc, t.number desc
            limit 10
          ) as b
        ) as blocked,
        (
          select count(*)
          from (
            select
            from office.tasks as t
            where t.workspace_id = d.workspace_id and t.state = any(v_open) and t.archived_at is null and t.deleted_at is null
            limit 100
          ) as o
        ) as open
      from due as d
      cross join lateral (select coalesce(d.before_at, d.ended_at - interval '24 hours') as since) as c
      cross join lateral (
        select count(*) as failed, bool_or(n.own) as own_failed
        from (
          select r.agent_id = d.agent_id and r.task_id is null and r.routine_id is not distinct from d.routine_id as own
          from office.runs as r
          where r.workspace_id = d.workspace_id and r.status in ('interrupted', 'failed', 'blocked')
            and r.ended_at > c.since and r.ended_at <= d.ended_at
          limit 100
        ) as n
      ) as f
      cross join lateral (
        select count(*) filter (where n.kind like 'agent.%') as errors, count(*) filter (where n.kind like 'budget.%') as budgets
        from (
          select i.kind
          from office.inbox_items as i
          where i.workspace_id = d.workspace_id and (i.kind like 'agent.%' or i.kind like 'budget.%')
            and i.created_at > c.since and i.created_at <= d.ended_at
          limit 100
        ) as n
      ) as e
    ),
    -- Decisions of before stay while there is room; a sentence that stood in for one makes way.
    kept as materialized (
      select
        c.*,
        nullif(array_to_string((
          case when c.before is null or position(E'\n- ' in split_part(c.before, E'\n## Recent decisions\n', 2)) = 0
            then string_to_array(c.decided, E'\n')
            else string_to_array(c.decided, E'\n') || array(
              select l.line
              from string_to_table(
                split_part(split_part(c.before, E'\n## Recent decisions\n', 2), E'\n\n## Next action\n', 1), E'\n'
              ) with ordinality as l (line, place)
              where l.line ~ '^- \d{4}-\d\d-\d\d: '
              order by l.place
            )
          end
        )[:5], E'\n'), '') as decisions_told
      from counted as c
    )
    insert into office.continuation_summaries as s (
      agent_id, scope, workspace_id, content, updated_by_run_id, updated_at, previous_content, previous_at
    )
    select
      k.agent_id, k.scope, k.workspace_id,
      E'## Active focus\n'
      || coalesce(k.said, nullif(split_part(k.before, E'\n', 2), ''), 'Nothing was said of it.') || E'\n'
      || case when k.succeeded + k.failed + k.open + k.errors + k.budgets = 0 then 'Nothing happened' else concat_ws(
        ', ',
        case when k.succeeded > 0 then 'runs finished: ' || k.succeeded || case when k.succeeded = 100 then ' or more' else '' end end,
        case when k.failed > 0 then 'runs failed: ' || k.failed || case when k.failed = 100 then ' or more' else '' end end,
        case when k.open > 0 then 'tasks open: ' || k.open || case when k.open = 100 then ' or more' else '' end end,
        case when k.errors > 0 then 'agent errors: ' || k.errors end,
        case when k.budgets > 0 then 'budget signals: ' || k.budgets end
      ) end
      || to_char(k.since at time zone 'UTC', '" since "YYYY-MM-DD HH24:MI" UTC."')
      || E'\n\n## Open blockers\n' || coalesce(k.blocked, 'None.')
      || E'\n\n## Recent decisions\n' || coalesce(
        k.decisions_told,
        to_char(k.ended_at at time zone 'UTC', '"- "YYYY-MM-DD", result: "')
          || case
            when octet_length(k.said) <= 300 and k.said !~ '[.!?] ' then k.said
            else office_internal.summary_line(coalesce(substring(k.said from '^(.*?[.!?])(?: |$)'), k.said), 300)
          end,
        'None recorded.'
      )
      || E'\n\n## Next action\n' || case
        when k.next_action is not null then k.next_action
        when k.blocked is not null then 'Resolve the open blockers first.'
        when k.own_failed then 'Look into why the run before this one failed.'
        when k.failed > 0 then 'Triage the runs that failed.'
        when k.open > 0 then 'Dispatch the next open task.'
        else 'Continue monitoring.'
      end || E'\n',
      k.id, k.ended_at, k.before, k.before_at
    from kept as k
    on conflict (agent_id, scope) do update
    set content = excluded.content, updated_by_run_id = excluded.updated_by_run_id, updated_at = excluded.updated_at,
      previous_content = excluded.previous_content, previous_at = excluded.previous_at;
  end loop;
end
$$;

comment on function office_internal.write_summaries(uuid[]) is 'Writes the continuation summaries that ended runs leave.';
