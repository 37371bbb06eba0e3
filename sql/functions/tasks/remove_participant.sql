-- office.remove_participant: an agent reviews or approves a task no longer (T1); its queued runs for that are cancelled. Without a role:
-- neither. One that was deleted meanwhile can be taken out, too. Refuses unknown tasks and one that takes no such part (not_found), another
-- run's task, and agents that would do without an approver: that is for people to say (forbidden). Takes no gate.
create or replace function office.remove_participant(task text, agent text, role text default null)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.task_to_change(task);
  v_agent uuid := (
    select a.id
    from office.task_participants as p
    join office.agents as a on a.id = p.agent_id
    join office.workspaces as w on w.id = a.workspace_id
    where p.task_id = v_task and lower(agent) in (lower(a.name), lower(w.name || '/' || a.name), a.id::text)
    order by a.deleted_at desc nulls first
    limit 1
  );
begin
  if coalesce(remove_participant.role, 'approver') = 'approver'
    and exists (select from office.task_participants as p where p.task_id = v_task and p.agent_id = v_agent and p.role = 'approver')
  then
    perform office_internal.need_person();
  end if;
  delete from office.task_participants as p
  where p.task_id = v_task and p.agent_id = v_agent and p.role = coalesce(remove_participant.role, p.role);
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
