-- office.add_participant: an agent reviews a task, or approves it (T1, T9). In review already, it is asked at once. Refuses unknown tasks
-- and agents (not_found), another run's task (forbidden), other roles and agents of another workspace (invalid). Takes no gate.
create or replace function office.add_participant(task text, agent text, role text default 'reviewer')
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.task_to_change(task);
begin
  if role is null or role not in ('reviewer', 'approver') then
    perform office_internal.refuse(
      'invalid', format('Nobody takes part in a task as "%s".', coalesce(role, '')), 'reviewer (advises) or approver (decides).',
      jsonb_build_object('field', 'role', 'given', role)
    );
  end if;
  insert into office.task_participants (workspace_id, task_id, agent_id, role)
  select t.workspace_id, t.id, office_internal.find_agent(agent, t.workspace_id), add_participant.role
  from office.tasks as t
  where t.id = v_task
  on conflict do nothing;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.add_participant(text, text, text) is 'Lets an agent review or approve a task.';
