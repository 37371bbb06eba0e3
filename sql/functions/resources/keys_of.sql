-- office_internal.keys_of: the keys of what these runs would work on (S4). Of the first that applies:
--   its executor names a worktree of its own           worktree:
--   its project gives each task's agent a worktree     worktree:, unless its executor has a folder of its own (X9)
--   its executor says that its folder may be shared    none
--   its executor names a folder                        folder:
--   its task's project has a folder                    project:, folder:, and repo: where there is one (N3: setting project_folders)
-- A run without a folder needs none. Pairs of agent and task that share an engine session need its session: key as well (N3).
-- The host of a run that is not yet claimed is the server.
create or replace function office_internal.keys_of(run_ids uuid[])
returns table (run_id uuid, key text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return query
    select r.id, k.key
    from office.runs as r
    join office.executors as x on x.id = r.executor_id
    left join office.tasks as t on t.id = r.task_id
    left join office_internal.gates as g on g.workspace_id = r.workspace_id
    left join office.projects as j on j.id = t.project_id and j.folder is not null
    cross join lateral (
      select case when j.isolation = 'worktree' then office_internal.worktree_of(r.task_id, r.agent_id, x.body) end ->> 'name' as worktree
    ) as y
    cross join lateral unnest(case
      when x.body ? 'worktree' then array['worktree:' || (x.body ->> 'worktree')]
      when y.worktree is not null then array['worktree:' || y.worktree]
      when x.body -> 'folder_shared' = 'true' then '{}'
      when x.body ? 'folder' then array['folder:server:' || office_internal.normal_path(x.body ->> 'folder')]
      when j.id is not null and g.project_folders then array_remove(
        array['project:' || j.id, 'folder:server:' || office_internal.normal_path(j.folder), 'repo:' || left(j.repo, 1000)], null
      )
    end) as k (key)
    where r.id = any(keys_of.run_ids)
    union all
    select r.id, 'session:' || s.link_id
    from office.runs as r
    join office.agent_sessions as s
      on s.task_id = r.task_id and s.agent_id = r.agent_id and s.ended_at is null and s.link_id is not null
    where r.id = any(keys_of.run_ids);
end
$$;

comment on function office_internal.keys_of(uuid[]) is 'The keys of what runs would work on.';
