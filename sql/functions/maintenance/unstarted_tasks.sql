-- office_internal.unstarted_tasks: the office tasks of these workspaces that are to be done, lie within the look-back, and that nothing
-- shows to have been started (T11). It is shown by a queued, active or blocked run, one that was launched and has finished, an interrupted
-- one, and one that a person stopped or dropped; not by one that gave up, went stale, or finished without a launch. Passed over are tasks
-- whose agent is paused or stopped, those that somebody is being woken for, and those whose budget would let no run of them go.
create or replace function office_internal.unstarted_tasks(workspace_ids uuid[], at timestamptz)
returns setof office.tasks
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return query
    select t.*
    from unnest(workspace_ids) as w (id)
    cross join lateral (
      select make_interval(hours => office_internal.setting('recovery_lookback_hours', w.id)::integer) as look_back
    ) as s
    join office.tasks as t on t.workspace_id = w.id and t.created_at >= unstarted_tasks.at - s.look_back
    join office.agents as a on a.id = t.assignee_agent_id
    where t.state = 'todo' and t.assignee_agent_id is not null and t.archived_at is null and t.deleted_at is null
      and (t.snoozed_until is null or t.snoozed_until <= unstarted_tasks.at)
      and a.status = 'active' and a.deleted_at is null
      and office_internal.is_woken_for(t.id)
      and not office_internal.is_blocked(t.id)
      and not exists (
        select
        from office.runs as r
        where r.task_id = t.id and (
          r.status in ('queued', 'claimed', 'running', 'waiting', 'stopping', 'blocked', 'interrupted')
          or (r.status = 'finished' and r.claimed_at is not null)
          or (r.status = 'cancelled' and r.cancel_reason in ('stopped', 'dropped'))
        )
      )
      and not exists (
        select
        from office.wakeups as k
        where k.task_id = t.id and k.agent_id = t.assignee_agent_id and k.status = 'queued'
      )
      and not exists (
        select
        from office_internal.usual_executor(t.assignee_agent_id, t.id) as u
        left join office.executors as x on x.id = u.executor_id
        join office.budgets as b
          on b.workspace_id = t.workspace_id and b.removed_at is null and b.action_on_exceed <> 'notify'
          and office_internal.counts_in(b, t.assignee_agent_id, t.project_id, coalesce(x.body ->> 'account', 'included'))
        left join office.budget_periods as p
          on p.budget_id = b.id and p.period_start = office_internal.period_start(b.period, unstarted_tasks.at)
        cross join lateral (
          select coalesce(p.spent_cents, 0) as spent,
            least(office_internal.run_estimate(t.assignee_agent_id, b.run_estimate_cents), b.limit_cents) as expected
        ) as c
        where c.spent >= b.limit_cents or c.spent + c.expected > b.limit_cents
      )
    order by t.created_at, t.id;
end
$$;

comment on function office_internal.unstarted_tasks(uuid[], timestamptz) is 'Tasks that nobody started although somebody should.';
