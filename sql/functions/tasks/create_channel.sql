-- office.create_channel: binds an outside conversation to a task of the office workflow (T7): its messages become comments there. Refuses
-- agents (forbidden), unknown tasks (not_found), tasks of other workflows and bad names (invalid), a name that is taken. Takes no gate.
create or replace function office.create_channel(name text, task text)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_account uuid := office_internal.need_person();
  v_task office.tasks;
  v_id uuid;
  v_constraint text;
  v_column text;
begin
  select * into v_task from office.tasks as t where t.id = office_internal.find_task(create_channel.task);
  if not exists (select from office.workspaces as w where w.id = v_task.workspace_id and w.office_workflow_id = v_task.workflow_id) then
    perform office_internal.refuse(
      'invalid', format('t%s is not a task of the office workflow.', v_task.number), 'Bind the channel to one that is.',
      jsonb_build_object('field', 'task')
    );
  end if;
  insert into office.channels (workspace_id, name, task_id, created_by_account_id)
  values (v_task.workspace_id, create_channel.name, v_task.id, v_account)
  returning id into v_id;
  return v_id;
exception
  when unique_violation then
    perform office_internal.name_taken('channel', create_channel.name);
    return null;
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
    perform office_internal.refuse_value('channels', v_constraint, v_column);
    return null;
end
$$;

comment on function office.create_channel(text, text) is 'Binds an outside conversation to a task; returns its id.';
