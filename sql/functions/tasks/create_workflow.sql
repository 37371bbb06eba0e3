-- office.create_workflow: a workflow of a workspace, with its stages in order, as [{"name": "Doing", "state": "in_progress",
-- "auto_start_agent": true, "queue_run": false}, …] (T4). Refuses agents (forbidden), unknown workspaces (not_found), names that are taken
-- or bad, an empty list, a stage that is none (invalid), a field it has not (unknown_field). Takes no gate.
create or replace function office.create_workflow(name text, stages jsonb, workspace text default null)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_workspace uuid;
  v_id uuid;
  v_stage jsonb;
  v_field text;
begin
  perform office_internal.need_person();
  v_workspace := office_internal.find_workspace(workspace);
  if nullif(btrim(name), '') is null or length(name) > 63 then
    perform office_internal.refuse(
      'invalid', 'A workflow has a name of 1 to 63 characters.', 'Name it.', jsonb_build_object('field', 'name')
    );
  end if;
  if jsonb_typeof(stages) is distinct from 'array' or jsonb_array_length(stages) not between 1 and 50 then
    perform office_internal.refuse(
      'invalid', 'A workflow has 1 to 50 stages.', 'As [{"name": "Doing", "state": "in_progress"}].', jsonb_build_object('field', 'stages')
    );
  end if;
  for v_stage in select s.value from jsonb_array_elements(stages) as s loop
    perform office_internal.check_object('stages', v_stage);
    select k.key into v_field
    from jsonb_object_keys(v_stage) as k (key)
    where k.key not in ('name', 'state', 'auto_start_agent', 'queue_run', 'check')
    limit 1;
    if v_field is not null then
      perform office_internal.refuse(
        'unknown_field', format('A stage has no field "%s".', v_field), 'Fields: name, state, auto_start_agent, queue_run, check.',
        jsonb_build_object('field', v_field)
      );
    end if;
    if nullif(btrim(v_stage ->> 'name'), '') is null or jsonb_typeof(v_stage -> 'name') <> 'string'
      or not exists (select from office.task_states as t where t.state = v_stage ->> 'state')
      or coalesce(jsonb_typeof(v_stage -> 'auto_start_agent'), 'boolean') <> 'boolean'
      or coalesce(jsonb_typeof(v_stage -> 'queue_run'), 'boolean') <> 'boolean'
      or not office_internal.is_command(v_stage -> 'check')
      -- Nothing is checked on the way elsewhere.
      or (v_stage ->> 'check' is not null and v_stage ->> 'state' not in ('in_review', 'done'))
    then
      perform office_internal.refuse(
        'invalid', format('"%s" is no stage.', coalesce(v_stage ->> 'name', '')),
        (select 'It has a name and a state, one of: ' || string_agg(t.state, ', ' order by t.position) || '.' from office.task_states as t),
        jsonb_build_object('field', 'stages', 'given', v_stage)
      );
    end if;
  end loop;
  insert into office.workflows (workspace_id, name) values (v_workspace, btrim(create_workflow.name)) returning id into v_id;
  insert into office.stages (workflow_id, name, position, state, auto_start_agent, queue_run, check_command)
  select
    v_id, btrim(s.value ->> 'name'), s.ordinality, s.value ->> 'state', coalesce((s.value ->> 'auto_start_agent')::boolean, false),
    coalesce((s.value ->> 'queue_run')::boolean, false), s.value -> 'check'
  from jsonb_array_elements(stages) with ordinality as s;
  return v_id;
exception when unique_violation then
  perform office_internal.name_taken('workflow', create_workflow.name);
  return null;
end
$$;

comment on function office.create_workflow(text, jsonb, text) is 'Makes a workflow with its stages; returns its id.';
