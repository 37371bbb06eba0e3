-- Triggers of office.task_participants: agent and task are of one workspace; who comes or goes changes whom a review waits for (T9);
-- whoever is taken off a task is no longer wanted there: his queued runs are settled (Q13.3), his session ends (N1).

create or replace function office_internal.task_participants_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (
    select
    from office.tasks as t
    join office.agents as a on a.workspace_id = t.workspace_id
    where t.id = new.task_id and t.workspace_id = new.workspace_id and a.id = new.agent_id
  ) then
    perform office_internal.refuse(
      'invalid', 'A task is reviewed by agents of its own workspace.', 'Name an agent of the same workspace.',
      jsonb_build_object('field', 'agent')
    );
  end if;
  return new;
end
$$;
comment on function office_internal.task_participants_check() is 'Refuses a participant of another workspace.';

create or replace function office_internal.task_participants_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if tg_op <> 'INSERT' then
    perform office_internal.leave_signal(old.workspace_id, 'task_unassigned', old.task_id, old.agent_id);
  end if;
  perform office_internal.leave_signal(t.workspace_id, 'task_in_review', t.id)
  from office.tasks as t
  where t.id in (new.task_id, old.task_id) and t.state = 'in_review';
  return null;
end
$$;
comment on function office_internal.task_participants_tell() is 'Leaves signals when a participant comes or goes.';

create or replace trigger task_participants_check
before insert or update on office.task_participants
for each row execute function office_internal.task_participants_check();

create or replace trigger task_participants_tell
after insert or update or delete on office.task_participants
for each row execute function office_internal.task_participants_tell();
