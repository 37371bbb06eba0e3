-- office_internal.make_launches: claims these runs in one statement and answers their launches. Raises what building a prompt
-- raises. A task's run continues its agent's session there, which is made where there is none (N1), and resumes that one's engine session,
-- when the engine is the same; so does a run that a pause had stopped (P1). An agent's first run on a task may go on in an idle engine
-- session that it has in the project; of two that would, the first does (N3). The caller holds the gates.
-- Of two runs of one task only the first takes its lock and launches; the other stays queued for the next look.
-- What may be there for a run is looked up a run at a time (limit, offset): a join, planned while the table was empty, would compare
-- every run with all that came since.
create or replace function office_internal.make_launches(run_ids uuid[], worker_id uuid)
returns setof office_internal.launch
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  return query
    with picked as materialized (
      select
        q.*,
        coalesce(q.own_engine_session, case when q.links then (q.linked).engine_session end) as engine_session,
        case when q.links then coalesce((q.linked).link_id, (q.linked).id) end as link_id
      from (
        select
          p.*, row_number() over (order by p.id) as nth,
          -- Two runs of this statement do not go on in the same one.
          row_number() over (partition by coalesce((p.linked).link_id, (p.linked).id) order by p.requested_at, p.id) = 1 as links
        from (
          select
            r.id, r.number, r.workspace_id, r.agent_id, r.task_id, r.reason, r.executor_id, r.requested_at, r.coalesced_count,
            office.uuid7() as new_attempt,
            (
              select left(m.content, 1500)
              from office.continuation_summaries as m
              where r.task_id is null and m.agent_id = r.agent_id
                and m.scope = coalesce('routine:' || r.routine_id, 'agent:' || r.agent_id)
            ) as summary,
            (select count(*)::integer + 1 from office.attempts as a where a.run_id = r.id) as attempt_number,
            encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex') as secret,
            (s.session).id as old_session, (s.session).last_run_id,
            -- Who is mentioned on a cancelled task works there once: no session goes on.
            coalesce(
              (s.session).id,
              (select office.uuid7() from office.tasks as k where k.id = r.task_id and k.state <> 'cancelled' and k.deleted_at is null)
            ) as session_id,
            case
              when (s.session).engine_session is not null or r.attempt_id is not null
                then office_internal.engine_session_for(r, s.session)
            end as own_engine_session,
            case when r.task_id is not null and (s.session).id is null then office_internal.session_to_link(r) end as linked,
            row_number() over (partition by coalesce(r.task_id, r.id) order by r.requested_at, r.id) as turn
          from office.runs as r
          left join lateral (
            select e as session
            from office.agent_sessions as e
            where e.task_id = r.task_id and e.agent_id = r.agent_id and e.ended_at is null
            limit 1
          ) as s on true
          where r.id = any(run_ids) and r.status is not distinct from 'queued'
            and not exists (select from office.checkouts as c where c.task_id = r.task_id and c.checkout_run_id <> r.id offset 0)
        ) as p
        where p.turn = 1
      ) as q
    ),
    opened as (
      insert into office.agent_sessions (
        id, workspace_id, agent_id, task_id, started_by_account_id, created_at, engine, engine_session, link_id
      )
      select
        p.session_id, p.workspace_id, p.agent_id, p.task_id, office_internal.account_of_run(p.id), v_now,
        case when p.link_id is not null then (p.linked).engine end, case when p.link_id is not null then p.engine_session end, p.link_id
      from picked as p
      where p.session_id is not null and p.old_session is null
    ),
    told as materialized (
      select office_internal.build_prompts(
        array_agg(p.id order by p.nth), array_agg(p.attempt_number order by p.nth), array_agg(p.summary order by p.nth),
        array_agg(p.engine_session order by p.nth)
      ) as prompts
      from picked as p
    ),
    attempted as (
      insert into office.attempts (
        id, run_id, workspace_id, number, worker_id, token_hash, shown_wakeups, prompt_built_at, claimed_at, engine_session,
        executor_id
      )
      select
        p.new_attempt, p.id, p.workspace_id, p.attempt_number, make_launches.worker_id,
        sha256(convert_to(office_internal.token_of(p.new_attempt, p.secret), 'UTF8')), p.coalesced_count, v_now, v_now,
        p.engine_session, p.executor_id
      from picked as p
    ),
    locked as (
      insert into office.checkouts (task_id, workspace_id, checkout_run_id, checkout_agent_id, checkout_at)
      select p.task_id, p.workspace_id, p.id, p.agent_id, v_now
      from picked as p
      where p.task_id is not null
      on conflict (task_id) do nothing
    ),
    claimed as (
      update office.runs as r
      set status = 'claimed', attempt_id = p.new_attempt, worker_id = make_launches.worker_id, claimed_at = v_now,
        scheduled_retry_at = null, session_id = p.session_id, continues_run_id = p.last_run_id
      from picked as p
      where r.id = p.id
    ),
    grown as (
      insert into office.worktrees as w (task_id, agent_id, workspace_id, name, branch, repository, folder, made_at)
      select p.task_id, p.agent_id, p.workspace_id, y.name, y.branch, y.repository, y.folder, v_now
      from picked as p
      join office.tasks as t on t.id = p.task_id
      join office.projects as j on j.id = t.project_id
      join office.executors as x on x.id = p.executor_id
      cross join lateral jsonb_to_record(
        case when j.isolation = 'worktree' then office_internal.worktree_of(p.task_id, p.agent_id, x.body) end
      ) as y (name text, branch text, repository text, folder text)
      where y.name is not null
      on conflict (task_id, agent_id) do update set collected_at = null, made_at = excluded.made_at
        where w.collected_at is not null
    ),
    prompted as (
      insert into office.attempt_prompts (attempt_id, workspace_id, assembled_prompt, summary_injected)
      select p.new_attempt, p.workspace_id, (select m.prompts from told as m)[p.nth], p.summary
      from picked as p
    )
    select
      p.id, 'r' || p.number, p.new_attempt, p.attempt_number, p.workspace_id, w.name, p.agent_id, a.name, p.task_id,
      't' || t.number, p.reason, (select m.prompts from told as m)[p.nth], x.body, p.engine_session,
      (select e.environment from office_internal.launch_environment(p.id, p.new_attempt) as e),
      coalesce(x.body ->> 'folder', y.worktree ->> 'folder', case when g.project_folders then j.folder end),
      g.attempt_limits || coalesce(x.body -> 'limits', '{}'),
      false, null::jsonb, office_internal.token_of(p.new_attempt, p.secret), null::timestamptz, 1, 0,
      y.worktree
    from picked as p
    join office_internal.gates as g on g.workspace_id = p.workspace_id
    join office.workspaces as w on w.id = p.workspace_id
    join office.agents as a on a.id = p.agent_id
    join office.executors as x on x.id = p.executor_id
    left join office.tasks as t on t.id = p.task_id
    left join office.projects as j on j.id = t.project_id
    cross join lateral (
      select case when j.isolation = 'worktree' then office_internal.worktree_of(p.task_id, p.agent_id, x.body) end as worktree
    ) as y
    order by p.requested_at, p.id;
end
$$;

comment on function office_internal.make_launches(uuid[], uuid) is 'Claims runs and answers their launches.';
