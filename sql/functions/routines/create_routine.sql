-- office.create_routine: what an agent does again and again (R1). It fires once it has a trigger: office.add_schedule, add_once,
-- add_webhook; or by hand: office.fire_routine. With a task template every fire makes a task; without, it wakes the agent with the
-- description. Refuses agents (forbidden), bad names, policies, templates and variables (invalid, missing, unknown_field), unknown
-- assignees and projects (not_found), a name in use (name_taken). Takes no gate.
create or replace function office.create_routine(
  name text,
  assignee text,
  description text default '',
  task_template jsonb default '{}',
  variables jsonb default '{}',
  concurrency_policy text default 'coalesce_if_active',
  catch_up_policy text default 'enqueue_missed_with_cap',
  catch_up_max integer default 25,
  workspace text default null
)
returns office.routine_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_caller uuid := office_internal.need_person();
  v_agent uuid := office_internal.find_agent(
    coalesce(assignee, ''), case when workspace is not null then office_internal.find_workspace(workspace) end
  );
  v_id uuid;
  v_constraint text;
  v_column text;
begin
  insert into office.routines (
    workspace_id, name, description, assignee_agent_id, task_template, variables, concurrency_policy, catch_up_policy, catch_up_max,
    created_by_account_id
  )
  select
    a.workspace_id, create_routine.name, coalesce(create_routine.description, ''), a.id, coalesce(create_routine.task_template, '{}'),
    coalesce(create_routine.variables, '{}'), create_routine.concurrency_policy, create_routine.catch_up_policy,
    create_routine.catch_up_max, v_caller
  from office.agents as a
  where a.id = v_agent
  returning id into v_id;
  return office_internal.routine_card(v_id);
exception
  when unique_violation then
    perform office_internal.name_taken('routine', create_routine.name);
    return null;
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
    perform office_internal.refuse_value('routines', v_constraint, v_column);
    return null;
end
$$;

comment on function office.create_routine(text, text, text, jsonb, jsonb, text, text, integer, text)
is 'Makes a routine: select * from office.create_routine(''briefing'', ''ann'', ''Write the morning briefing.'');';
