-- office.update_profile: changes a profile: {"model": "opus", "enabled": false}; its list as {"choices": ["fast", "careful"]}. What is
-- queued or runs keeps what it froze (T13). Refuses a field that it has not (unknown_field), values of the wrong type or form (invalid),
-- an unknown profile (not_found), a name in use (name_taken), agents (forbidden). Takes no gate.
create or replace function office.update_profile(profile text, changes jsonb, workspace text default null)
returns office.profile_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
  v_field text;
  v_new office.profiles;
  v_made office.profile_reference;
  v_constraint text;
  v_column text;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_profile(profile, office_internal.find_workspace(workspace));
  perform office_internal.check_object('changes', changes);
  select k.key into v_field
  from jsonb_object_keys(changes) as k (key)
  where k.key not in ('name', 'executor', 'model', 'thinking_level', 'context_window', 'tiers', 'choices', 'enabled')
  limit 1;
  if v_field is not null then
    perform office_internal.refuse(
      'unknown_field', format('A profile has no setting "%s".', v_field),
      'Settings: name, executor, model, thinking_level, context_window, tiers, choices, enabled.', jsonb_build_object('field', v_field)
    );
  end if;
  if changes ? 'name' then
    perform office_internal.check_name('profile', changes ->> 'name');
  end if;
  begin
    select * into v_new
    from jsonb_populate_record((select p from office.profiles as p where p.id = v_id), changes - 'choices');
    if changes ? 'choices' and jsonb_typeof(changes -> 'choices') <> 'array' then
      raise invalid_parameter_value;
    end if;
  exception when data_exception then
    perform office_internal.refuse(
      'invalid', 'A setting has the wrong type.', 'Lists as lists, numbers as numbers, on and off as true and false.',
      jsonb_build_object('field', 'changes')
    );
  end;
  if changes ? 'choices' and nullif(v_new.executor, 'null') is not null then
    perform office_internal.refuse(
      'invalid', 'A profile launches something, or chooses among others: one of the two.', 'Give executor, or choices.',
      jsonb_build_object('field', 'choices')
    );
  end if;
  update office.profiles as p
  set name = v_new.name, executor = nullif(v_new.executor, 'null'), model = v_new.model, thinking_level = v_new.thinking_level,
    context_window = v_new.context_window, tiers = v_new.tiers, enabled = v_new.enabled
  where p.id = v_id;
  if changes ? 'choices' then
    perform office_internal.list_choices(v_id, array(select jsonb_array_elements_text(changes -> 'choices')));
  end if;
  select p.id, p.name, w.name into v_made
  from office.profiles as p
  join office.workspaces as w on w.id = p.workspace_id
  where p.id = v_id;
  return v_made;
exception
  when unique_violation then
    perform office_internal.name_taken('profile', changes ->> 'name');
    return null;
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
    perform office_internal.refuse_value('profiles', v_constraint, v_column);
    return null;
end
$$;

comment on function office.update_profile(text, jsonb, text) is 'Changes an execution profile: {"setting": value, …}.';
