-- office.create_project: a folder or repository that tasks belong to. isolation: shared, its runs work in its folder, one at a time; or
-- worktree, each task's agent in a git worktree of its own (X9). check_command: run before its tasks are in review or done (T15).
-- Refuses a relative folder, worktrees without a folder, a command that is none (invalid), and a name in use (name_taken).
create or replace function office.create_project(
  name text,
  folder text default null,
  repo text default null,
  executor jsonb default null,
  workspace text default null,
  isolation text default 'shared',
  check_command jsonb default null
)
returns office.project_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_caller uuid := office_internal.need_person();
  v_made office.project_reference;
  v_workspace uuid := office_internal.find_workspace(workspace);
  v_constraint text;
  v_column text;
begin
  perform office_internal.check_name('project', create_project.name);
  perform office_internal.need_path(create_project.folder);
  insert into office.projects (workspace_id, name, folder, repo, executor, isolation, check_command, created_by_account_id)
    values (
      v_workspace, create_project.name, create_project.folder, create_project.repo, create_project.executor, create_project.isolation,
      create_project.check_command, v_caller
    )
  returning id, projects.name, (select w.name from office.workspaces as w where w.id = v_workspace) into v_made;
  return v_made;
exception
  when unique_violation then
    perform office_internal.name_taken('project', create_project.name);
    return null;
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
    perform office_internal.refuse_value('projects', v_constraint, v_column);
    return null;
end
$$;

comment on function office.create_project(text, text, text, jsonb, text, text, jsonb) is 'Makes a project.';
