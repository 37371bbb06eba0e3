-- office.update_routine: changes a routine's settings; changes as {"catch_up_max": 5}. Nothing that has fired is touched.
-- Refuses agents (forbidden), unknown routines (not_found), a setting that it has not (unknown_field), values of the wrong type or
-- range (invalid, missing), a change of an archived one's status (conflict). Takes no gate.
create or replace function office.update_routine(routine text, changes jsonb)
returns office.routine_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
  v_field text;
  v_changes jsonb;
  v_old office.routines;
  v_new office.routines;
  v_constraint text;
  v_column text;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_routine(routine);
  perform office_internal.check_object('changes', changes);
  select min(k.key) into v_field
  from jsonb_object_keys(changes) as k (key)
  where k.key not in ('name', 'description', 'assignee', 'concurrency_policy', 'catch_up_policy', 'catch_up_max', 'task_template',
    'variables');
  if v_field is not null then
    perform office_internal.refuse(
      'unknown_field', format('A routine has no setting "%s".', v_field),
      'Settings: name, description, assignee, concurrency_policy, catch_up_policy, catch_up_max, task_template, variables. '
      || 'office.pause and office.resume change its status.',
      jsonb_build_object('field', v_field)
    );
  end if;
  select * into v_old from office.routines as r where r.id = v_id for no key update;
  v_changes := changes - 'assignee';
  if changes ? 'assignee' then
    v_changes := v_changes || jsonb_build_object(
      'assignee_agent_id', office_internal.find_agent(coalesce(changes ->> 'assignee', ''), v_old.workspace_id)
    );
  end if;
  begin
    select * into v_new from jsonb_populate_record(v_old, v_changes);
  exception when data_exception then
    perform office_internal.refuse(
      'invalid', 'A setting has the wrong type.', 'Numbers as numbers, templates and variables as objects.',
      jsonb_build_object('field', 'changes')
    );
  end;
  update office.routines as r
  set name = v_new.name, description = v_new.description, assignee_agent_id = v_new.assignee_agent_id,
    concurrency_policy = v_new.concurrency_policy, catch_up_policy = v_new.catch_up_policy, catch_up_max = v_new.catch_up_max,
    task_template = v_new.task_template, variables = v_new.variables
  where r.id = v_id;
  return office_internal.routine_card(v_id);
exception
  when unique_violation then
    perform office_internal.name_taken('routine', changes ->> 'name');
    return null;
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
    perform office_internal.refuse_value('routines', v_constraint, v_column);
    return null;
end
$$;

comment on function office.update_routine(text, jsonb) is 'Changes settings of a routine: {"setting": value, …}.';
