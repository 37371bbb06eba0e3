-- office.create_profile: an execution profile that agents can be bound to (X7): what it launches, with model, thinking level and context
-- window; or choices: other profiles, of which the first is launched that is not on hold and whose tiers hold the task's complexity.
-- Refuses bad executors, both or neither of executor and choices (invalid), choices that are not there (not_found), a name in use.
create or replace function office.create_profile(
  name text,
  executor jsonb default null,
  model text default null,
  workspace text default null,
  thinking_level text default null,
  context_window integer default null,
  tiers text[] default null,
  choices text[] default null
)
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
  if (create_profile.executor is null) = (coalesce(cardinality(create_profile.choices), 0) = 0) then
    perform office_internal.refuse(
      'invalid', 'A profile launches something, or chooses among others: one of the two.', 'Give executor, or choices.',
      jsonb_build_object('field', 'executor')
    );
  end if;
  v_workspace := office_internal.find_workspace(workspace);
  perform office_internal.check_name('profile', create_profile.name);
  insert into office.profiles (workspace_id, name, executor, model, thinking_level, context_window, tiers)
    values (
      v_workspace, create_profile.name, create_profile.executor, create_profile.model, create_profile.thinking_level,
      create_profile.context_window, create_profile.tiers
    )
  returning id, profiles.name, (select w.name from office.workspaces as w where w.id = v_workspace) into v_made;
  perform office_internal.list_choices(v_made.profile_id, create_profile.choices);
  return v_made;
exception
  when unique_violation then
    get stacked diagnostics v_constraint = constraint_name;
    if v_constraint like 'profile_choices%' then
      perform office_internal.refuse(
        'invalid', 'A profile is in a list once.', 'Name each once.', jsonb_build_object('field', 'choices')
      );
    end if;
    perform office_internal.name_taken('profile', create_profile.name);
    return null;
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
    perform office_internal.refuse_value('profiles', v_constraint, v_column);
    return null;
end
$$;

comment on function office.create_profile(text, jsonb, text, text, text, integer, text[], text[]) is 'Makes an execution profile.';
