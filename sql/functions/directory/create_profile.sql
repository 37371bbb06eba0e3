-- office.create_profile: an execution profile that agents can be bound to (X7). Refuses bad executors and names in use.
create or replace function office.create_profile(name text, executor jsonb, model text default null, workspace text default null)
returns office.profile_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_made office.profile_reference;
  v_workspace uuid;
  v_constraint text;
  v_column text;
begin
  perform office_internal.need_person();
  v_workspace := office_internal.find_workspace(workspace);
  perform office_internal.check_name('profile', create_profile.name);
  insert into office.profiles (workspace_id, name, executor, model)
    values (v_workspace, create_profile.name, create_profile.executor, create_profile.model)
  returning id, profiles.name, (select w.name from office.workspaces as w where w.id = v_workspace) into v_made;
  return v_made;
exception
  when unique_violation then
    perform office_internal.name_taken('profile', create_profile.name);
    return null;
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
    perform office_internal.refuse_value('profiles', v_constraint, v_column);
    return null;
end
$$;

comment on function office.create_profile(text, jsonb, text, text) is 'Makes an execution profile.';
