-- office.update_agent: changes an agent's settings; changes as {"cooldown_sec": 0}. Refuses a field it has not
-- (unknown_field) and values of the wrong type or range (invalid). Nothing queued or running is touched (T13).
create or replace function office.update_agent(agent text, changes jsonb)
returns office.agent_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
  v_workspace uuid;
  v_changes jsonb;
  v_field text;
  v_new office.agents;
  v_made office.agent_reference;
  v_constraint text;
  v_column text;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_agent(agent);
  perform office_internal.check_object('changes', changes);
  select k.key into v_field
  from jsonb_object_keys(changes) as k (key)
  where k.key not in ('name', 'role', 'instructions', 'executor', 'max_concurrent_sessions', 'cooldown_sec',
    'skip_idle_wakeups', 'skip_unchanged_wakeups', 'auto_pause_after', 'can_approve', 'reports_to', 'profile')
  limit 1;
  if v_field is not null then
    perform office_internal.refuse(
      'unknown_field', format('An agent has no setting "%s".', v_field),
      'Settings: name, role, instructions, executor, max_concurrent_sessions, cooldown_sec, skip_idle_wakeups, '
      || 'skip_unchanged_wakeups, auto_pause_after, can_approve, reports_to, profile.',
      jsonb_build_object('field', v_field)
    );
  end if;
  if changes ? 'name' then
    perform office_internal.check_name('agent', changes ->> 'name');
  end if;
  select a.workspace_id into v_workspace from office.agents as a where a.id = v_id;
  v_changes := changes - '{reports_to,profile}'::text[];
  -- References become ids; null takes away.
  if changes ? 'reports_to' then
    v_changes := v_changes || jsonb_build_object('reports_to', case when changes ->> 'reports_to' is not null
      then office_internal.find_agent(changes ->> 'reports_to', v_workspace) end);
  end if;
  if changes ? 'profile' then
    v_changes := v_changes || jsonb_build_object('profile_id', case when changes ->> 'profile' is not null
      then office_internal.find_profile(changes ->> 'profile', v_workspace) end);
  end if;
  begin
    select * into v_new from jsonb_populate_record((select a from office.agents as a where a.id = v_id), v_changes);
  exception when data_exception then
    perform office_internal.refuse(
      'invalid', 'A setting has the wrong type.', 'Numbers as numbers, on and off as true and false.',
      jsonb_build_object('field', 'changes')
    );
  end;
  update office.agents as a
  set name = v_new.name, role = v_new.role, instructions = v_new.instructions,
    executor = nullif(v_new.executor, 'null'), max_concurrent_sessions = v_new.max_concurrent_sessions,
    cooldown_sec = v_new.cooldown_sec, skip_idle_wakeups = v_new.skip_idle_wakeups,
    skip_unchanged_wakeups = v_new.skip_unchanged_wakeups, auto_pause_after = v_new.auto_pause_after,
    can_approve = v_new.can_approve,
    reports_to = v_new.reports_to, profile_id = v_new.profile_id
  where a.id = v_id;
  select a.id, a.name, w.name, null::text into v_made
  from office.agents as a
  join office.workspaces as w on w.id = a.workspace_id
  where a.id = v_id;
  return v_made;
exception
  when unique_violation then
    perform office_internal.name_taken('agent', changes ->> 'name');
    return null;
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
    perform office_internal.refuse_value('agents', v_constraint, v_column);
    return null;
end
$$;

comment on function office.update_agent(text, jsonb) is 'Changes settings of an agent: {"setting": value, …}.';
