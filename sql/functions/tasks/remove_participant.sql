-- office.remove_participant: an agent reviews or approves a task no longer (T1); its queued runs for that are cancelled. Without a role:
-- neither. Refuses unknown tasks and agents, and one that takes no such part (not_found), another run's task (forbidden). Takes no gate.
create or replace function office.remove_participant(task text, agent text, role text default null)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.task_to_change(task);
begin
  delete from office.task_participants as p
  using office.tasks as t
  where t.id = v_task and p.task_id = t.id and p.agent_id = office_internal.find_agent(agent, t.workspace_id)
    and p.role = coalesce(remove_participant.role, p.role);
  if not found then
    perform office_internal.not_found(
      'participant', agent,
      (select array_agg(a.name) from office.task_participants as p join office.agents as a on a.id = p.agent_id where p.task_id = v_task),
      format('%s takes no such part in %s.', agent, task)
    );
  end if;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.remove_participant(text, text, text) is 'Takes an agent out of a task''s reviewers and approvers.';
