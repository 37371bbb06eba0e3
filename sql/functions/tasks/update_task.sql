-- office.update_task: changes what a task says; changes as {"title": "…"}. State, assignee and snooze have functions of their own. A
-- complexity that a person set is a person's (T13). Refuses a field it has not (unknown_field), values of the wrong type or range
-- (invalid), unknown references (not_found), another run's task (forbidden). Takes no gate.
create or replace function office.update_task(task text, changes jsonb)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid := office_internal.task_to_change(task);
  v_me record;
  v_workspace uuid;
  v_changes jsonb;
  v_field text;
  v_new office.tasks;
  v_constraint text;
  v_column text;
begin
  perform office_internal.check_object('changes', changes);
  select * into v_me from office_internal.identity();
  select k.key into v_field
  from jsonb_object_keys(changes) as k (key)
  where k.key not in ('title', 'description', 'priority', 'complexity', 'project', 'parent', 'requires_approval', 'executor', 'source_ref')
  limit 1;
  if v_field is not null then
    perform office_internal.refuse(
      'unknown_field', format('A task has no field "%s" to change.', v_field),
      'Fields: title, description, priority, complexity, project, parent, requires_approval, executor, source_ref.',
      jsonb_build_object('field', v_field)
    );
  end if;
  if v_me.agent_id is not null and changes ?| array['requires_approval', 'executor'] then
    perform office_internal.refuse(
      'forbidden', 'What a task needs to be done, and what is launched for it, is for people to say.', 'Ask a person.',
      jsonb_build_object('field', case when changes ? 'executor' then 'executor' else 'requires_approval' end)
    );
  end if;
  if v_me.agent_id is not null and changes ? 'project'
    and exists (
      select from office.tasks as t join office.projects as j on j.id = t.project_id where t.id = v_id and j.check_command is not null
    )
  then
    perform office_internal.refuse(
      'forbidden', 'The check of its project is for people to take away.', 'Ask a person.', jsonb_build_object('field', 'project')
    );
  end if;
  select t.workspace_id into v_workspace from office.tasks as t where t.id = v_id;
  -- References become ids; null takes away.
  v_changes := changes - '{project,parent}'::text[];
  if changes ? 'project' then
    v_changes := v_changes || jsonb_build_object('project_id', case when changes ->> 'project' is not null
      then office_internal.find_project(changes ->> 'project', v_workspace) end);
  end if;
  if changes ? 'parent' then
    v_changes := v_changes || jsonb_build_object('parent_id', case when changes ->> 'parent' is not null
      then case when v_me.agent_id is null then office_internal.find_task(changes ->> 'parent')
        else office_internal.task_to_change(changes ->> 'parent') end end);
  end if;
  if changes ? 'complexity' then
    v_changes := v_changes || jsonb_build_object(
      'complexity_set_by', case when changes ->> 'complexity' is null then null when v_me.agent_id is null then 'person' else 'system' end
    );
  end if;
  begin
    select * into v_new from jsonb_populate_record((select t from office.tasks as t where t.id = v_id), v_changes);
  exception when data_exception then
    perform office_internal.refuse(
      'invalid', 'A field has the wrong type.', 'Texts as texts, on and off as true and false.', jsonb_build_object('field', 'changes')
    );
  end;
  update office.tasks as t
  set title = v_new.title, description = v_new.description, priority = v_new.priority,
    complexity = case when v_me.agent_id is not null and t.complexity_set_by = 'person' then t.complexity else v_new.complexity end,
    complexity_set_by = case
      when v_me.agent_id is not null and t.complexity_set_by = 'person' then t.complexity_set_by else v_new.complexity_set_by
    end,
    project_id = v_new.project_id, parent_id = v_new.parent_id, requires_approval = v_new.requires_approval,
    executor = nullif(v_new.executor, 'null'), source_ref = v_new.source_ref
  where t.id = v_id;
  return office_internal.task_card(v_id);
exception when check_violation or not_null_violation then
  get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
  perform office_internal.refuse_value('tasks', v_constraint, v_column);
  return null;
end
$$;

comment on function office.update_task(text, jsonb) is 'Changes fields of a task: {"field": value, …}.';
