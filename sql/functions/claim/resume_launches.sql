-- office_internal.resume_launches: claims answered runs for a worker and answers their launches (S3): the same attempt in its next launch,
-- with a fresh token and what was decided: what its last launcher still says of it is refused from now on. What it is told:
-- an engine that keeps its session the answers alone, any other program all that it was told before and then the answers. Its limits
-- say how long earlier launches have worked (S6).
-- The caller holds the gates and has picked the runs.
create or replace function office_internal.resume_launches(run_ids uuid[], worker_id uuid)
returns setof office_internal.launch
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  if cardinality(run_ids) = 0 then
    return;
  end if;
  return query
    with picked as materialized (
      select
        r.id, r.number, r.attempt_id, r.workspace_id, r.agent_id, r.task_id, r.executor_id, r.reason, r.requested_at,
        t.number as attempt_number, t.engine_session, t.worked, t.launch + 1 as launch,
        encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex') as secret,
        n.answers, office_internal.answers_text(n.answers) as said
      from office.runs as r
      join office.attempts as t on t.id = r.attempt_id and t.ended_at is null
      cross join lateral (select office_internal.told_answers(r.attempt_id) as answers) as n
      where r.id = any(run_ids) and r.status is not distinct from 'queued' and r.answered_at is not null
    ),
    attempted as (
      update office.attempts as t
      set worker_id = resume_launches.worker_id, cleaned_at = null, killed = null, launch = p.launch,
        token_hash = sha256(convert_to(office_internal.token_of(t.id, p.secret), 'UTF8'))
      from picked as p
      where t.id = p.attempt_id
    ),
    claimed as (
      update office.runs as r
      set status = 'claimed', worker_id = resume_launches.worker_id, claimed_at = v_now
      from picked as p
      where r.id = p.id
    ),
    prompted as (
      -- A launch that was lost on the way is told the same once more.
      update office.attempt_prompts as m
      set assembled_prompt = case
        when right(m.assembled_prompt, length(p.said)) = p.said then m.assembled_prompt
        else m.assembled_prompt || E'\n\n' || p.said
      end
      from picked as p
      where m.attempt_id = p.attempt_id
      returning m.attempt_id, m.assembled_prompt
    )
    select
      p.id, 'r' || p.number, p.attempt_id, p.attempt_number, p.workspace_id, w.name, p.agent_id, a.name, p.task_id,
      't' || t.number, p.reason, case when p.engine_session is null then m.assembled_prompt else p.said end, x.body, p.engine_session,
      (select e.environment from office_internal.launch_environment(p.id, p.attempt_id) as e)
        || jsonb_build_object('OFFICE_ANSWERS', p.answers::text),
      coalesce(x.body ->> 'folder', y.worktree ->> 'folder', case when g.project_folders then j.folder end),
      g.attempt_limits || coalesce(x.body -> 'limits', '{}')
        || jsonb_build_object('worked_seconds', coalesce(round(extract(epoch from p.worked), 3), 0)),
      true, p.answers, office_internal.token_of(p.attempt_id, p.secret), null::timestamptz,
      p.launch, (select coalesce(max(s.sequence), 0) from office.attempt_steps as s where s.attempt_id = p.attempt_id),
      y.worktree
    from picked as p
    join prompted as m on m.attempt_id = p.attempt_id
    join office.workspaces as w on w.id = p.workspace_id
    join office.agents as a on a.id = p.agent_id
    join office.executors as x on x.id = p.executor_id
    join office_internal.gates as g on g.workspace_id = p.workspace_id
    left join office.tasks as t on t.id = p.task_id
    left join office.projects as j on j.id = t.project_id
    cross join lateral (
      select case when j.isolation = 'worktree' then office_internal.worktree_of(p.task_id, p.agent_id, x.body) end as worktree
    ) as y
    order by p.requested_at, p.id;
end
$$;

comment on function office_internal.resume_launches(uuid[], uuid)
is 'Claims answered runs for their same attempts and answers their launches.';
