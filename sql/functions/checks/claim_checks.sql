-- office.claim_checks: the checks that a worker is to run now, at most so many, one row each (T15), where the assignee works: in the folder
-- of its executor, in its worktree, or in the project's folder; not while a run of the task is under way. tree: the identity that passed
-- last, with the same command; while the tree is still that, it need not be run. A check whose worker has ended is run by another.
-- Refuses unknown, expired and ended workers (not_found, worker_expired). Takes the gates of the workspaces concerned, those that are free.
create or replace function office.claim_checks(worker_id uuid, max_checks integer default 1)
returns table (check_id uuid, task text, command jsonb, folder text, worktree jsonb, tree text, minutes integer)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_held uuid[];
  v_worker office.workers;
begin
  -- What is usual: there is none. It costs a look at an empty index.
  if not exists (select from office.task_checks as c where c.status in ('requested', 'running')) then
    return;
  end if;
  perform office_internal.need_read_committed();
  v_worker := office_internal.need_worker(claim_checks.worker_id);
  v_held := array(
    select g.workspace_id
    from office_internal.gates as g
    where g.workspace_id in (select c.workspace_id from office.task_checks as c where c.status in ('requested', 'running'))
      and (v_worker.only_workspace_id is null or g.workspace_id = v_worker.only_workspace_id)
    order by g.workspace_id
    limit 64
    for no key update skip locked
  );
  perform office_internal.note_gates();
  return query
    with due as materialized (
      select c.id
      from office.task_checks as c
      where c.workspace_id = any(v_held)
        and (c.status = 'requested' or (c.status = 'running' and not exists (
          select from office.workers as w where w.id = c.worker_id and w.ended_at is null
        )))
        and not exists (select from office.checkouts as k where k.task_id = c.task_id)
      order by c.number
      limit greatest(claim_checks.max_checks, 0)
    ),
    claimed as (
      update office.task_checks as c
      set status = 'running', worker_id = claim_checks.worker_id, started_at = office_internal.wall_clock()
      from due
      where c.id = due.id
      returning c.*
    )
    select
      c.id, 't' || t.number, c.command, coalesce(x.body ->> 'folder', y.worktree ->> 'folder', j.folder),
      y.worktree,
      (
        select p.tree
        from office.task_checks as p
        where p.task_id = c.task_id and p.status in ('passed', 'used') and p.command = c.command and p.number < c.number
        order by p.number desc
        limit 1
      ),
      office_internal.setting('check_minutes', c.workspace_id)::integer
    from claimed as c
    join office.tasks as t on t.id = c.task_id
    left join office.projects as j on j.id = t.project_id
    left join lateral office_internal.usual_executor(t.assignee_agent_id, t.id) as u on true
    left join office.executors as x on x.id = u.executor_id
    cross join lateral (
      -- Nobody has worked in one that was never made.
      select case
        when j.isolation = 'worktree' and exists (
          select
          from office.worktrees as m
          where m.task_id = t.id and m.agent_id = t.assignee_agent_id and m.collected_at is null
        ) then office_internal.worktree_of(t.id, t.assignee_agent_id, x.body)
      end as worktree
    ) as y
    order by c.number;
end
$$;

comment on function office.claim_checks(uuid, integer) is 'The checks of tasks that a worker is to run.';
