-- office.create_project: a folder or repository that tasks belong to. Refuses a relative folder (invalid) and a name in use.
create or replace function office.create_project(
  name text,
  folder text default null,
  repo text default null,
  executor jsonb default null,
  workspace text default null
)
returns office.project_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_caller uuid := office_internal.need_person();
  v_made office.project_reference;
  v_workspace uuid := office_internal.find_workspace(workspace);
begin
  perform office_internal.check_name('project', create_project.name);
  if not office_internal.is_path(create_project.folder) then
    perform office_internal.refuse(
      'invalid', format('"%s" is not an absolute path without ".", ".." or a slash at its end.', create_project.folder),
      'As /srv/work/site.',
      jsonb_build_object('field', 'folder')
    );
  end if;
  insert into office.projects (workspace_id, name, folder, repo, executor, created_by_account_id)
    values (
      v_workspace, create_project.name, create_project.folder, create_project.repo, create_project.executor, v_caller
    )
  returning id, projects.name, (select w.name from office.workspaces as w where w.id = v_workspace) into v_made;
  return v_made;
exception when unique_violation then
  perform office_internal.name_taken('project', create_project.name);
  return null;
end
$$;

comment on function office.create_project(text, text, text, jsonb, text) is 'Makes a project.';
