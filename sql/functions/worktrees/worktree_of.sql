-- office_internal.worktree_of: the git worktree in which an agent works on a task with an executor (X9): as it was made, else as it is to
-- be: name, branch, repository, folder. Null where the executor has a place of its own; for projects that give each task's agent a
-- worktree, which its callers look at first: most do not. Two agents whose names would give one name are told apart by the agent's id.
-- start: the branch that it is to begin from, where there is one: another agent's who is assigned the task, whose work is to be seen there.
create or replace function office_internal.worktree_of(task_id uuid, agent_id uuid, executor jsonb)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if executor ?| array['folder', 'worktree'] then
    return null;
  end if;
  return (
    select jsonb_build_object(
      'name', coalesce(w.name, n.name), 'branch', coalesce(w.branch, 'office/' || n.name), 'repository', coalesce(w.repository, j.folder),
      'folder', coalesce(w.folder, j.work_folder || '/' || n.name),
      'start', (
        select o.branch from office.worktrees as o where o.task_id = t.id and o.agent_id = t.assignee_agent_id and o.agent_id <> a.id
      )
    )
    from office.tasks as t
    join office.projects as j on j.id = t.project_id
    join office.agents as a on a.id = worktree_of.agent_id
    left join office.worktrees as w on w.task_id = t.id and w.agent_id = a.id
    cross join lateral (select 't' || t.number || '-' || translate(a.name, '.', '-') as name) as m
    cross join lateral (
      select m.name || case
        when exists (select from office.worktrees as o where o.name = m.name) then '-' || right(a.id::text, 12)
        else ''
      end
    ) as n (name)
    where t.id = worktree_of.task_id
  );
end
$$;

comment on function office_internal.worktree_of(uuid, uuid, jsonb) is 'The worktree in which an agent works on a task.';
