-- Triggers of office.workspaces: the executor's row; and what every workspace has from its first moment: its gate and the
-- system workflows "office" and "routine" (T4), however it was made.

create or replace function office_internal.workspaces_furnish()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_office uuid;
  v_routine uuid;
begin
  insert into office_internal.gates (workspace_id, slots, attempt_limits, project_folders, linked_sessions)
  values (
    new.id, office_internal.setting('max_concurrent_runs')::integer, office_internal.launch_limits(new.id),
    office_internal.setting('project_folders') = 'on', office_internal.setting('linked_sessions') = 'on'
  );
  insert into office.workflows (workspace_id, name, kind) values (new.id, 'office', 'office') returning id into v_office;
  insert into office.stages (workflow_id, name, position, state, auto_start_agent)
  select v_office, initcap(replace(s.state, '_', ' ')), s.position, s.state, s.state <> 'proposed'
  from office.task_states as s;
  insert into office.workflows (workspace_id, name, kind, hidden)
  values (new.id, 'routine', 'routine', true)
  returning id into v_routine;
  insert into office.stages (workflow_id, name, position, state, auto_start_agent)
  values (v_routine, 'In Progress', 1, 'in_progress', true), (v_routine, 'Done', 2, 'done', false);
  update office.workspaces as w set office_workflow_id = v_office, routine_workflow_id = v_routine where w.id = new.id;
  return null;
end
$$;
comment on function office_internal.workspaces_furnish() is 'Gives a new workspace its gate and system workflows.';

create or replace trigger workspaces_executor
before insert or update on office.workspaces
for each row execute function office_internal.guard_executor();

create or replace trigger workspaces_furnish
after insert on office.workspaces
for each row execute function office_internal.workspaces_furnish();
