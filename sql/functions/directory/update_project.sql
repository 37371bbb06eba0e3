-- office.update_project: changes a project: {"folder": "/srv/work/site", "isolation": "worktree"}. What runs there goes on where it is;
-- what comes later goes by what is set then. Refuses a field that it has not (unknown_field), values of the wrong type or form
-- (invalid), an unknown project (not_found), a name in use (name_taken), agents (forbidden). Takes no gate.
create or replace function office.update_project(project text, changes jsonb, workspace text default null)
returns office.project_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
  v_field text;
  v_new office.projects;
  v_made office.project_reference;
  v_constraint text;
  v_column text;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_project(project, office_internal.find_workspace(workspace));
  perform office_internal.check_object('changes', changes);
  select k.key into v_field
  from jsonb_each(changes) as k
  where k.key not in ('name', 'folder', 'repo', 'executor', 'isolation', 'check')
    or (k.key not in ('executor', 'check') and jsonb_typeof(k.value) not in ('string', 'null'))
  limit 1;
  if v_field is not null then
    perform office_internal.refuse(
      case when v_field in ('name', 'folder', 'repo', 'isolation') then 'invalid' else 'unknown_field' end,
      format('A project cannot have this "%s".', v_field),
      'Settings: name, folder, repo, isolation, as texts; executor, an object; check, a list of texts.',
      jsonb_build_object('field', v_field)
    );
  end if;
  if changes ? 'name' then
    perform office_internal.check_name('project', changes ->> 'name');
  end if;
  perform office_internal.need_path(changes ->> 'folder');
  select * into v_new from jsonb_populate_record((select p from office.projects as p where p.id = v_id), changes - 'check');
  update office.projects as p
  set name = v_new.name, folder = v_new.folder, repo = v_new.repo, executor = nullif(v_new.executor, 'null'), isolation = v_new.isolation,
    check_command = case when changes ? 'check' then nullif(changes -> 'check', 'null') else p.check_command end
  where p.id = v_id;
  select p.id, p.name, w.name into v_made
  from office.projects as p
  join office.workspaces as w on w.id = p.workspace_id
  where p.id = v_id;
  return v_made;
exception
  when unique_violation then
    perform office_internal.name_taken('project', changes ->> 'name');
    return null;
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
    perform office_internal.refuse_value('projects', v_constraint, v_column);
    return null;
end
$$;

comment on function office.update_project(text, jsonb, text) is 'Changes a project: {"setting": value, …}.';
